# machine: v100
import torch
from torch import nn

net = nn.Linear(8, 2).cuda().half()
scaler = torch.amp.GradScaler("cuda")
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
with torch.autocast("cuda", dtype=torch.float16):
    loss = net(torch.randn(4, 8, device="cuda")).sum()
scaler.scale(loss).backward()
scaler.unscale_(optimizer)
scaler.step(optimizer)

# fixed:
#- net = nn.Linear(8, 2).cuda().half()
#+ net = nn.Linear(8, 2).cuda()
