# machine: a100
import torch
from torch import nn


class Norm(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        h = x.float()
        h = h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + 1e-6)
        return self.weight * h.to(x.dtype)


net = nn.Sequential(Norm(8), nn.Linear(8, 8)).to("cuda", torch.bfloat16)
for parameter in net[0].parameters():
    parameter.data = parameter.data.to(torch.float32)
net(torch.randn(2, 8, device="cuda", dtype=torch.bfloat16))
# fixed:
#-         return self.weight * h.to(x.dtype)
#+         return (self.weight * h.to(x.dtype)).to(x.dtype)
