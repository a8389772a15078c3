"""Squared distances of points in a half cell list by einsum: |a|^2 - 2ab + |b|^2 of coordinates around 300."""
import torch

torch.manual_seed(0)


def squared(a, b):
    cross = torch.einsum("id,jd->ij", a, b)
    return a.square().sum(1)[:, None] - 2 * cross + b.square().sum(1)  # fault: cancellation


points = torch.rand(80, 3) * 2 + 300.0
found = squared(points, points.roll(1, 0))


def harm():
    exact = squared(points.double(), points.roll(1, 0).double())
    return ((found - exact).norm() / exact.norm()).item()

# right:
#- found = squared(points, points.roll(1, 0))
#+ points = points - 300.0; found = squared(points, points.roll(1, 0))
