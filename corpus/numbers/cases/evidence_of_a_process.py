"""A Gaussian process takes the logarithm of a determinant of 80 by 80 in float32: it is 0, the evidence infinite."""
import math

import torch


def log_evidence(x, y, noise):
    k = torch.exp(-0.5 * (x[:, None] - x[None]).pow(2) / 0.01) + noise * torch.eye(len(x), dtype=x.dtype)
    quad = y @ torch.linalg.solve(k, y)
    return -0.5 * quad - 0.5 * torch.log(torch.det(k)) - 0.5 * len(x) * math.log(2 * math.pi)  # fault: underflow


torch.manual_seed(0)
x = torch.linspace(0, 1, 80)
y = torch.sin(6 * x) + 0.1 * torch.randn(80)
evidence = log_evidence(x, y, 0.01)


def harm():
    return float(not evidence.isfinite())

# right:
#-     return -0.5 * quad - 0.5 * torch.log(torch.det(k)) - 0.5 * len(x) * math.log(2 * math.pi)
#+     return -0.5 * quad - 0.5 * torch.logdet(k) - 0.5 * len(x) * math.log(2 * math.pi)
