# machine: v100
# real: cpu
import math

import torch
from torch import nn


def timestep_embedding(t, dim, max_period=10000):
    half = dim // 2
    freqs = torch.exp(-math.log(max_period) * torch.arange(0, half, dtype=torch.float32) / half).to(t.device)
    args = t[:, None].float() * freqs[None]  # origin
    return torch.cat([torch.cos(args), torch.sin(args)], dim=-1)


dev = "cuda" if torch.cuda.is_available() else "cpu"
time_embed = nn.Sequential(nn.Linear(32, 64), nn.SiLU(), nn.Linear(64, 64)).to(dev).half()
t = torch.randint(0, 1000, (2,), device=dev)
emb = timestep_embedding(t, 32)
# fixed: emb = timestep_embedding(t, 32).to(time_embed[0].weight.dtype)
time_embed(emb)  # finding: operand-dtype-mismatch linear input
