"""t-SNE's joint probabilities are shares of 1 among n * n pairs, in float16: far pairs are 0, and near ones coarse."""
import torch


def conditional(x, width=3.0):
    away = torch.cdist(x, x).square()
    away.fill_diagonal_(torch.inf)
    return torch.softmax(-away / (2 * width**2), 1)


def joint(x, dtype):
    p = conditional(x).to(dtype)
    p = (p + p.T) / (2 * len(x))  # fault: underflow
    return p


def divergence(p, places):
    near = 1 / (1 + torch.cdist(places, places).square())
    near.fill_diagonal_(0)
    q = near / near.sum()
    p = p.float()
    return (torch.xlogy(p, p) - torch.xlogy(p, q.clamp_min(1e-12))).sum()


torch.manual_seed(0)
x = torch.randn(3000, 4)
p = joint(x, torch.float16)
kl = divergence(p, torch.randn(3000, 2))


def harm():
    exact = joint(x.double(), torch.float64)
    return ((p - exact).norm() / exact.norm()).item()

# right:
#- p = joint(x, torch.float16)
#+ p = joint(x, torch.bfloat16)
