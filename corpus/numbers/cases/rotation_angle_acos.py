"""The angle between two close orientations is 2 acos(|w|): near 1 the cosine holds no small angle."""
import torch


def multiply(a, b):
    w = a[:, :1] * b[:, :1] - (a[:, 1:] * b[:, 1:]).sum(dim=1, keepdim=True)
    v = a[:, :1] * b[:, 1:] + b[:, :1] * a[:, 1:] + torch.linalg.cross(a[:, 1:], b[:, 1:])
    return torch.cat([w, v], dim=1)


def angular_distance(a, b):
    conjugate = a * torch.tensor([1.0, -1.0, -1.0, -1.0])
    relative = multiply(conjugate, b)
    return 2 * torch.acos(relative[:, 0].abs().clamp(max=1.0))  # fault: cancellation


torch.manual_seed(0)
angles = torch.empty(500, dtype=torch.float64).uniform_(2e-4, 2e-3)
axis = torch.nn.functional.normalize(torch.randn(500, 3, dtype=torch.float64), dim=1)
step = torch.cat([torch.cos(angles / 2)[:, None], torch.sin(angles / 2)[:, None] * axis], dim=1)
target = torch.nn.functional.normalize(torch.randn(500, 4, dtype=torch.float64), dim=1)
predicted = multiply(target, step)
distance = angular_distance(target.float(), predicted.float())


def harm():
    error = ((distance.double() - angles).abs() / angles).mean().item()
    return float(error)

# right:
#-     return 2 * torch.acos(relative[:, 0].abs().clamp(max=1.0))
#+     return 2 * torch.atan2(relative[:, 1:].norm(dim=1), relative[:, 0].abs())
