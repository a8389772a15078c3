"""The angle between rotations by acos of a trace in float32: small angles are 0, multiples of 3e-4, or NaN."""
import torch


def rot_z(angle):
    c, s, o, one = angle.cos(), angle.sin(), torch.zeros_like(angle), torch.ones_like(angle)
    return torch.stack([c, -s, o, s, c, o, o, o, one], -1).view(-1, 3, 3)


def geodesic(a, b):
    trace = (a.transpose(1, 2) @ b).diagonal(dim1=1, dim2=2).sum(-1)
    return torch.acos((trace - 1) / 2)  # fault: cancellation


torch.manual_seed(0)
base = torch.rand(64) * 3
delta = torch.rand(64) * 3e-4 + 1e-4
error = geodesic(rot_z(base), rot_z(base + delta))


def harm():
    bad = ~error.isfinite()
    return torch.where(bad, torch.ones_like(error), (error / delta - 1).abs()).mean().item()

# right:
#- error = geodesic(rot_z(base), rot_z(base + delta))
#+ error = geodesic(rot_z(base.double()), rot_z(base.double() + delta))
