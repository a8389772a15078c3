"""The inverse frequencies are rounded to the model's dtype before the rotary phases are computed."""
import torch
from torch import nn


class Rotary(nn.Module):
    def __init__(self, dim, base=10000.0):
        super().__init__()
        self.dim = dim
        self.base = base

    def phases(self, x, positions):
        inv_freq = self.base ** (-torch.arange(0, self.dim, 2, dtype=torch.float32) / self.dim)
        inv_freq = inv_freq.to(x.dtype)  # fault: angle-in-half
        return torch.outer(positions.float(), inv_freq.float())

    def forward(self, x, positions):
        angles = self.phases(x, positions)
        cos, sin = angles.cos(), angles.sin()
        first, second = x.float().chunk(2, dim=-1)
        turned = torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)
        return turned.to(x.dtype)


torch.manual_seed(0)
rotary = Rotary(64)
query = torch.randn(4, 4096, 64).bfloat16()
positions = torch.arange(4096)
out = rotary(query, positions)


def harm():
    freq = 10000.0 ** (-torch.arange(0, 64, 2, dtype=torch.float64) / 64)
    right = torch.outer(positions.double(), freq)
    error = (rotary.phases(query, positions).double() - right).abs().max().item()
    return float(error)

# right:
#-         inv_freq = inv_freq.to(x.dtype)
#-         return torch.outer(positions.float(), inv_freq.float())
#+         return torch.outer(positions.float(), inv_freq)
