"""Positions are interpolated for a longer context and meet their frequencies by einsum in bfloat16."""
import torch
from torch import nn


class Rotary(nn.Module):
    def __init__(self, dim, factor=4.0, base=10000.0):
        super().__init__()
        self.factor = factor
        self.register_buffer("inv_freq", base ** (-torch.arange(0, dim, 2) / dim))

    def forward(self, x):
        t = torch.arange(x.shape[1], device=x.device).type_as(self.inv_freq) / self.factor
        freqs = torch.einsum("i,j->ij", t, self.inv_freq)
        return freqs.cos().to(x.dtype), freqs.sin().to(x.dtype)  # fault: angle-in-half


torch.manual_seed(0)
rotary = Rotary(32).to(torch.bfloat16)
hidden = torch.randn(1, 4096, 32, dtype=torch.bfloat16)
cos, sin = rotary(hidden)


def harm():
    inv = 10000.0 ** (-torch.arange(0, 32, 2).double() / 32)
    exact = torch.outer(torch.arange(4096).double() / 4, inv)
    return (cos.double() - exact.cos()).abs().mean().item()

# right:
#- rotary = Rotary(32).to(torch.bfloat16)
#+ rotary = Rotary(32)
