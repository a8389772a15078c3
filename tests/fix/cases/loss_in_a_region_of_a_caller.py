# machine: v100
import torch
import torch.nn.functional as F
from torch import nn

net = nn.Sequential(nn.Linear(4, 1), nn.Hardsigmoid()).cuda()


def loss_of(x, target):
    p = net(x)
    return F.binary_cross_entropy(p, target)


with torch.autocast("cuda", dtype=torch.float16):
    loss_of(torch.randn(2, 4, device="cuda"), torch.ones(2, 1, device="cuda")).backward()
# fixed:
#-     return F.binary_cross_entropy(p, target)
#+     with torch.autocast(p.device.type, enabled=False):
#+         return F.binary_cross_entropy(p.float(), target)
