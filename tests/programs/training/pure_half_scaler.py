# machine: v100
import torch
from torch import nn

model = nn.Linear(8, 2).cuda().half()  # origin
# fixed: model = nn.Linear(8, 2).cuda()
optimizer = torch.optim.Adam(model.parameters())  # consequence: state-in-half Adam param
scaler = torch.amp.GradScaler("cuda")
x = torch.randn(4, 8, device="cuda")
with torch.autocast("cuda"):
    loss = model(x).float().mean()
scaler.scale(loss).backward()
scaler.step(optimizer)  # finding: unscale-fp16-gradients GradScaler.unscale_ param
scaler.update()
