"""The coordinates are cast to float16 before the positional encoding multiplies them by 2^9 pi."""
import math
import torch
from torch import nn


class RadianceField(nn.Module):
    def __init__(self, octaves=10, width=64):
        super().__init__()
        self.octaves = octaves
        self.trunk = nn.Sequential(nn.Linear(3 * 2 * octaves, width), nn.ReLU(), nn.Linear(width, 4))

    def encode(self, xyz):
        bands = math.pi * 2.0 ** torch.arange(self.octaves, device=xyz.device)
        scaled = xyz[..., None] * bands.to(xyz.dtype)
        return torch.cat([scaled.sin(), scaled.cos()], dim=-1).flatten(-2)

    def forward(self, xyz):
        dtype = self.trunk[0].weight.dtype
        self.encoded = self.encode(xyz.to(dtype))  # fault: angle-in-half
        rgb, density = self.trunk(self.encoded).split([3, 1], dim=-1)
        return rgb.sigmoid(), density.relu()


torch.manual_seed(0)
field = RadianceField().half().eval()
points = torch.rand(4096, 3) * 2 - 1
with torch.no_grad():
    rgb, density = field(points)


def harm():
    scaled = points.double()[..., None] * math.pi * 2.0 ** torch.arange(10)
    right = torch.cat([scaled.sin(), scaled.cos()], dim=-1).flatten(-2)
    error = (field.encoded.double() - right).abs().max().item()
    return float(error)

# right:
#-         self.encoded = self.encode(xyz.to(dtype))
#+         self.encoded = self.encode(xyz).to(dtype)
