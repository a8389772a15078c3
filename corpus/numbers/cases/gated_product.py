"""A gated layer in float16: gate of 400 times up of 300 is infinite before the down projection makes it small."""
import torch
from torch import nn


class Gated(nn.Module):
    def __init__(self, width, inner):
        super().__init__()
        self.gate, self.up = nn.Linear(width, inner), nn.Linear(width, inner)
        self.down = nn.Linear(inner, width)

    def forward(self, x):
        return self.down(nn.functional.silu(self.gate(x)).mul_(self.up(x)))  # fault: overflow


torch.manual_seed(0)
dtype = torch.float16
layer = Gated(16, 32)
with torch.no_grad():
    layer.down.weight.mul_(1e-3)
layer = layer.to(dtype)
tokens = torch.randn(4, 16)
tokens[1] *= 900
with torch.no_grad():
    out = layer(tokens.to(dtype))


def harm():
    return (~out.isfinite()).float().mean().item()

# right:
#- dtype = torch.float16
#+ dtype = torch.bfloat16
