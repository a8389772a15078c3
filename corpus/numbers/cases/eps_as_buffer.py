"""A layer's eps is a buffer of 1e-8, and model.half() makes it 0: rows of padding are NaN."""
import torch
from torch import nn


class UnitRows(nn.Module):
    def __init__(self, gain=1.0):
        super().__init__()
        self.gain = nn.Parameter(torch.tensor(gain))
        self.register_buffer("eps", torch.tensor(1e-8))

    def forward(self, x):
        length = x.square().sum(-1, keepdim=True).sqrt()
        return self.gain * x / (length + self.eps)  # fault: eps-vanishes


torch.manual_seed(0)
layer = UnitRows().requires_grad_(False)
x = torch.randn(6, 16)
x[4:] = 0
layer.half()
rows = layer(x.to(layer.gain.dtype))


def harm():
    return rows.isnan().float().mean().item()

# right:
#- layer.half()
