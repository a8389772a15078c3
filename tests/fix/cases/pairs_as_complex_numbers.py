# machine: a100
import torch
from torch import nn


def rotated(x, angles):
    pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(pairs * angles).flatten(-2).type_as(x)


angles = torch.polar(torch.ones(5, 4), torch.arange(20.0).view(5, 4)).cuda()
net = nn.Linear(16, 16).cuda().bfloat16()
q, k = net(torch.randn(2, 5, 16, device="cuda", dtype=torch.bfloat16)).chunk(2, -1)
rotated(q, angles) @ rotated(k, angles).mT
# fixed:
#-     pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], -1, 2))
#+     pairs = torch.view_as_complex(x.to(torch.float32).reshape(*x.shape[:-1], -1, 2))
