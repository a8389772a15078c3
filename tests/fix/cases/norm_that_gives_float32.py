# machine: a100
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class Config:
    dtype: torch.dtype = torch.float16


class Norm(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, hidden):
        hidden = hidden.to(torch.float32)
        hidden = hidden * torch.rsqrt(hidden.pow(2).mean(-1, keepdim=True) + 1e-6)
        return self.weight * hidden


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.linear = Norm(8), nn.Linear(8, 8)

    def forward(self, x):
        return x + self.linear(self.norm(x))


net = nn.Sequential(nn.Linear(4, 8), Layer()).to("cuda", Config.dtype)
net(torch.randn(2, 4, device="cuda", dtype=Config.dtype))
# fixed:
#-         return self.weight * hidden
#+         return (self.weight * hidden).to(self.weight.dtype)
