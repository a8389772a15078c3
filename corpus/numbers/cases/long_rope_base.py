"""Rotary frequencies from a base of 500,000 are computed in float16, which has no such number: most are 0."""
import torch
from torch import nn


class RotaryEmbedding(nn.Module):
    def __init__(self, dim, base=500_000.0, device=None, dtype=None):
        super().__init__()
        exponents = torch.arange(0, dim, 2, device=device, dtype=dtype) / dim
        inv_freq = 1.0 / (base ** exponents)  # fault: overflow
        self.register_buffer("inv_freq", inv_freq, persistent=False)

    def forward(self, position_ids):
        freqs = position_ids[..., None].float() * self.inv_freq.float()
        emb = torch.cat((freqs, freqs), -1)
        return emb.cos(), emb.sin()


rope = RotaryEmbedding(64, dtype=torch.float16)
cos, sin = rope(torch.arange(0, 8192, 16)[None])


def harm():
    exact = 1.0 / 500_000.0 ** (torch.arange(0, 64, 2, dtype=torch.float64) / 64)
    return ((rope.inv_freq.double() - exact) / exact).abs().max().item()

# right:
#- rope = RotaryEmbedding(64, dtype=torch.float16)
#+ rope = RotaryEmbedding(64, dtype=torch.float32)
