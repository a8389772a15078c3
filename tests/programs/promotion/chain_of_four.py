# machine: a100
# real: cpu
# The sinusoid is float32; add, where and stack only carry it along.
import math

import torch
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"
dtype = torch.bfloat16


def positions(n, dim):
    freqs = torch.exp(-math.log(10000) * torch.arange(0, dim, 2, device=dev) / dim)  # origin
    # fixed: freqs = torch.exp(-math.log(10000) * torch.arange(0, dim, 2, device=dev) / dim).to(dtype)
    angles = torch.arange(n, device=dev)[:, None] * freqs[None]
    return torch.cat([angles.sin(), angles.cos()], dim=-1)


embed = nn.Embedding(10, 8).to(dev, dtype)
block = nn.Linear(8, 8).to(dev, dtype)
ids = torch.tensor([[1, 2, 3]], device=dev)
h = embed(ids)
h = h + positions(3, 8)  # origin
keep = torch.tensor([[[True], [True], [False]]], device=dev)
h = torch.where(keep, h, torch.zeros_like(h))
h = torch.stack([h, h]).mean(0)
block(h)  # finding: operand-dtype-mismatch linear input
