"""A discriminator's spectral norm keeps its vector u in float16 and makes it long 1 with an eps of 1e-12 by hand."""
import torch


def unit(v, eps=1e-12):
    return v / (v.pow(2).sum().sqrt() + eps)  # fault: eps-vanishes


def power(weight, u, rounds):
    for _ in range(rounds):
        v = unit(weight.T @ u)
        u = unit(weight @ v)
    return torch.dot(u, weight @ v), u


torch.manual_seed(0)
weight = torch.randn(8, 6)
weight[:, 2:] = 0
start = torch.zeros(8)
start[0] = 1.0
weight[0] = 0
norm, u = power(weight.half(), start.half(), 3)


def harm():
    return 0.0 if norm.isfinite() else 1.0

# right:
#- norm, u = power(weight.half(), start.half(), 3)
#+ norm, u = power(weight, start, 3)
