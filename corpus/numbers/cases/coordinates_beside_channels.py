"""CoordConv puts two channels of coordinates beside a bfloat16 picture: they are float32, and cat makes all channels so."""
import torch
from torch import nn


class CoordConv(nn.Module):
    def __init__(self, channels, out):
        super().__init__()
        self.conv = nn.Conv2d(channels + 2, out, 3, padding=1)

    def with_places(self, x):
        n, _, h, w = x.shape
        y = torch.linspace(-1, 1, h)[:, None].expand(n, 1, h, w)
        z = torch.linspace(-1, 1, w).expand(n, 1, h, w)
        return torch.cat([x, y, z], dim=1)  # fault: widening

    def forward(self, x):
        self.seen = self.with_places(x)
        return self.conv(self.seen.to(self.conv.weight.dtype))


torch.manual_seed(0)
layer = CoordConv(16, 8).bfloat16()
with torch.no_grad():
    out = layer(torch.randn(2, 16, 24, 24, dtype=torch.bfloat16))


def harm():
    return layer.seen.nbytes / (2 * 18 * 24 * 24 * 2) - 1

# right:
#-         return torch.cat([x, y, z], dim=1)
#+         return torch.cat([x, y.to(x.dtype), z.to(x.dtype)], dim=1)
