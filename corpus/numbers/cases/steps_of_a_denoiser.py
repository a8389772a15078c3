"""A timestep of up to 999 becomes bfloat16, as the embedder's weights are, before it meets its frequencies."""
import math

import torch
from torch import nn


class Embedder(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.width = width
        self.mlp = nn.Linear(width, width)

    def waves(self, t, dtype):
        half = self.width // 2
        speeds = torch.exp(-math.log(10000) * torch.arange(half) / half)
        inner = t.to(dtype)[:, None] * speeds[None].to(dtype)  # fault: angle-in-half
        return torch.cat([torch.cos(inner), torch.sin(inner)], dim=-1)

    def forward(self, t):
        dtype = self.mlp.weight.dtype
        return self.mlp(self.waves(t, dtype).to(dtype))


torch.manual_seed(0)
embedder = Embedder(32).bfloat16()
steps = torch.arange(999, 0, -3)
with torch.no_grad():
    out = embedder(steps)
    exact = embedder.mlp(embedder.waves(steps, torch.float32).bfloat16())


def harm():
    return (out.float() - exact.float()).abs().mean().item()

# right:
#-         return self.mlp(self.waves(t, dtype).to(dtype))
#+         return self.mlp(self.waves(t, torch.float32).to(dtype))
