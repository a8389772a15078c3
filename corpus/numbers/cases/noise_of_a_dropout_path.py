"""Stochastic depth divides by a keep mask that torch.rand made in float32, so that a bfloat16 stream is float32."""
import torch
from torch import nn

torch.manual_seed(0)


class DropPath(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, x):
        keep = (torch.rand(x.shape[0], 1, 1) > self.p).float() / (1 - self.p)
        return x * keep  # fault: widening


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc, self.drop = nn.Linear(32, 32), DropPath(0.1)

    def forward(self, x):
        return x + self.drop(self.fc(x.to(self.fc.weight.dtype)))


net = nn.Sequential(Block(), Block()).to(torch.bfloat16)
with torch.no_grad():
    out = net(torch.randn(16, 10, 32).bfloat16())


def harm():
    return out.nbytes / (16 * 10 * 32 * 2) - 1

# right:
#-         keep = (torch.rand(x.shape[0], 1, 1) > self.p).float() / (1 - self.p)
#+         keep = (torch.rand(x.shape[0], 1, 1) > self.p).to(x.dtype) / (1 - self.p)
