"""Float32 masks, noise and tokens beside half numbers where that is meant: under autocast, or cast on the way."""
import torch
from torch import nn

torch.manual_seed(0)
layer = nn.Linear(256, 256)
with torch.autocast("cpu", dtype=torch.bfloat16):
    features = layer(torch.randn(32, 256))
    dropped = features * ((torch.rand(32, 256) > 0.1).float() / 0.9)
    noisy = features + torch.randn(32, 256)
    joined = torch.cat([torch.zeros(1, 256), features])
half = torch.randn(32, 256).bfloat16()
kept = half * (torch.rand(32, 256) > 0.1)
noise = half + torch.randn_like(half)
token = torch.cat([torch.zeros(1, 256).to(half.dtype), half])
upcast = half.float() * torch.rand(32, 256)
