"""A hand-written layer norm subtracts a mean rounded to bfloat16: where the features share a large offset the outputs are shifted by a good part of their spread."""
import torch
from torch import nn


class Norm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        centred = x - x.mean(-1, keepdim=True)  # fault: statistics-in-half
        variance = centred.float().square().mean(-1, keepdim=True)
        return (centred.float() * torch.rsqrt(variance + 1e-5)).to(x.dtype) * self.weight


torch.manual_seed(0)
norm = Norm(256).bfloat16()
hidden = (torch.randn(32, 256) + 40).bfloat16()
with torch.no_grad():
    output = norm(hidden)


def harm():
    right = nn.functional.layer_norm(hidden.double(), (256,))
    return ((output.double() - right).norm() / right.norm()).item()

# right:
#-         centred = x - x.mean(-1, keepdim=True)
#+         centred = x.float() - x.float().mean(-1, keepdim=True)
