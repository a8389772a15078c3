"""A SIREN under bfloat16 autocast: its layers give 30 * (W x + b) to sin, and these angles have 8 bits."""
import math

import torch
from torch import nn


class SineLayer(nn.Module):
    def __init__(self, inputs, outputs, w0=30.0, half=True):
        super().__init__()
        self.linear = nn.Linear(inputs, outputs)
        self.w0, self.half = w0, half
        bound = 1 / inputs if inputs == 2 else math.sqrt(6 / inputs) / w0
        nn.init.uniform_(self.linear.weight, -bound, bound)

    def forward(self, x):
        with torch.autocast("cpu", torch.bfloat16, enabled=self.half):
            return torch.sin(self.w0 * self.linear(x.to(self.linear.weight.dtype)))  # fault: angle-in-half


def field(half):
    return nn.Sequential(SineLayer(2, 64, half=half), SineLayer(64, 64, half=half), nn.Linear(64, 3))


torch.manual_seed(0)
net = field(True)
axis = torch.linspace(-1, 1, 64)
grid = torch.stack(torch.meshgrid(axis, axis, indexing="ij"), -1).view(-1, 2)
with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
    picture = net(grid)


def harm():
    exact = field(False).double()
    exact.load_state_dict(net.state_dict())
    with torch.no_grad():
        true = exact(grid.double())
    return ((picture.double() - true).square().mean().sqrt() / true.std()).item()

# right:
#- net = field(True)
#+ net = field(False)
