"""Routing weights are float32 and multiply bfloat16 outputs of experts: the whole stream is float32 from there."""
import torch
from torch import nn


class Mixture(nn.Module):
    def __init__(self, width, experts=4):
        super().__init__()
        self.router = nn.Linear(width, experts)
        self.experts = nn.ModuleList(nn.Linear(width, width).bfloat16() for _ in range(experts))

    def forward(self, x):
        weights = self.router(x.float()).softmax(-1)
        outs = torch.stack([e(x) for e in self.experts], -1)
        return x + (outs * weights[:, None, :]).sum(-1)  # fault: widening


torch.manual_seed(0)
mixture = Mixture(32)
x = torch.randn(64, 32).bfloat16()
out = nn.functional.silu(mixture(x))


def harm():
    return out.element_size() / 2 - 1

# right:
#-         return x + (outs * weights[:, None, :]).sum(-1)
#+         return x + (outs * weights[:, None, :].to(x.dtype)).sum(-1)
