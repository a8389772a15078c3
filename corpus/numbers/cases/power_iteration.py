"""Spectral norm: u and v are normalised with eps=1e-12 in float16, and a layer that begins at zero gives NaN."""
import torch
from torch import nn


class Spectral(nn.Module):
    def __init__(self, layer, eps=1e-12):
        super().__init__()
        self.layer, self.eps = layer, eps
        self.register_buffer("u", torch.ones(layer.weight.shape[0], dtype=layer.weight.dtype))

    def forward(self, x):
        w = self.layer.weight
        v = w.T @ self.u
        v = v / (v.norm() + self.eps)  # fault: eps-vanishes
        return x @ (w / (1 + (w @ v).norm())).T


torch.manual_seed(0)
layer = nn.Linear(8, 8)
nn.init.zeros_(layer.weight)
dtype = torch.float16
with torch.no_grad():
    out = Spectral(layer.to(dtype))(torch.randn(4, 8).to(dtype))


def harm():
    return out.isnan().float().mean().item()

# right:
#- dtype = torch.float16
#+ dtype = torch.float32
