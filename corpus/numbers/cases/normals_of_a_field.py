"""Normals of a signed distance field by differences over 1e-3 under bfloat16 autocast: they are noise."""
import torch
from torch import nn

torch.manual_seed(0)
sdf = nn.Sequential(nn.Linear(3, 32), nn.Softplus(beta=10), nn.Linear(32, 1)).requires_grad_(False)


def normals(x, eps=1e-3):
    sides = []
    for axis in range(3):
        step = torch.zeros(3)
        step[axis] = eps
        sides.append(sdf(x + step) - sdf(x - step))  # fault: cancellation
    n = torch.cat(sides, -1).float()
    return nn.functional.normalize(n, dim=-1)


x = torch.rand(128, 3) * 2 - 1
with torch.autocast("cpu", dtype=torch.bfloat16, enabled=True):
    n = normals(x)


def harm():
    exact = normals(x)
    return 1 - (n * exact).sum(-1).mean().item()

# right:
#- with torch.autocast("cpu", dtype=torch.bfloat16, enabled=True):
#+ with torch.autocast("cpu", dtype=torch.bfloat16, enabled=False):
