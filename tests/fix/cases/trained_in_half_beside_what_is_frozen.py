# machine: a100
import torch
from torch import nn

net = nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 4)).to("cuda", torch.float16)
net[0].requires_grad_(False)
trained = [p for p in net.parameters() if p.requires_grad]
optimizer = torch.optim.SGD(trained, lr=0.5)
scaler = torch.amp.GradScaler("cuda")
with torch.autocast("cuda", torch.float16):
    loss = net(torch.randn(2, 8, device="cuda")).float().sum()
scaler.scale(loss).backward()
scaler.step(optimizer)
scaler.update()
# fixed:
#+ for p in trained:
#+     p.data = p.data.float()
