"""Points of a scan in UTM coordinates are cast to float32 before their middle is taken off: northings jump by 0.5 m."""
import torch


def load(n):
    g = torch.Generator().manual_seed(0)
    local = torch.rand(n, 3, generator=g, dtype=torch.float64) * 2
    return local + torch.tensor([512_345.678, 5_412_876.321, 431.2], dtype=torch.float64)


def normalise(xyz):
    xyz = xyz - xyz.mean(0)  # fault: cancellation
    return xyz / xyz.norm(dim=-1).max()


points = load(500)
unit = normalise(points.float())


def harm():
    exact = normalise(points)
    return ((unit.double() - exact).norm() / exact.norm()).item()

# right:
#- unit = normalise(points.float())
#+ unit = normalise(points).float()
