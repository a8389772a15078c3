# machine: a100
import torch
from torch import nn

base, adapter = nn.Linear(8, 8), nn.Linear(8, 8)
base.weight.requires_grad = False
model = nn.Sequential(base, adapter).to("cuda", torch.float16)
trained = [p for p in model.parameters() if p.requires_grad]
optimizer = torch.optim.SGD(trained, lr=0.1)
scaler = torch.amp.GradScaler("cuda")
with torch.autocast("cuda", dtype=torch.float16):
    loss = model(torch.randn(4, 8, device="cuda")).square().mean()
scaler.scale(loss).backward()
scaler.unscale_(optimizer)
scaler.step(optimizer)
scaler.update()
# fixed:
#+ for p in trained:
#+     p.data = p.data.float()
