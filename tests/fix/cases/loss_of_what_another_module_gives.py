# machine: v100
import torch
import torch.nn.functional as F
from torch import nn

net = nn.Sequential(nn.Linear(4, 1), nn.Sigmoid()).cuda()
x = torch.randn(2, 4, device="cuda")
y = torch.ones(2, 1, device="cuda")
with torch.autocast("cuda", dtype=torch.float16):
    p = net(x)
    loss = F.binary_cross_entropy(p, y)
loss.backward()

# fixed:
#-     loss = F.binary_cross_entropy(p, y)
#+     with torch.autocast("cuda", enabled=False):
#+         loss = F.binary_cross_entropy(p.float(), y)
