"""Rotary rates are a buffer that .bfloat16() casts with the model, and positions meet them in bfloat16."""
import torch
from torch import nn

torch.manual_seed(0)


class Rotary(nn.Module):
    def __init__(self, dim=32, base=10000):
        super().__init__()
        self.register_buffer("inv_freq", 1.0 / base ** (torch.arange(0, dim, 2).float() / dim))

    def forward(self, length):
        t = torch.arange(length).type_as(self.inv_freq)
        freqs = torch.einsum("i,j->ij", t, self.inv_freq)
        return freqs.cos(), freqs.sin()  # fault: angle-in-half


rotary = Rotary().bfloat16()
cos, sin = rotary(600)


def harm():
    exact = Rotary().double()(600)[0]
    return (cos.double() - exact).abs().mean().item()

# right:
#- rotary = Rotary().bfloat16()
#+ rotary = Rotary()
