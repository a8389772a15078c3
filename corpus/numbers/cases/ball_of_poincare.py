"""Distances in the Poincaré ball in float16: 1 - |x|^2 of points near the rim is 0 or one step, distances infinite."""
import torch


def poincare(u, v):
    uu, vv = u.pow(2).sum(-1), v.pow(2).sum(-1)
    gamma = 1 + 2 * (u - v).pow(2).sum(-1) / ((1 - uu) * (1 - vv))  # fault: cancellation
    return torch.acosh(gamma)


torch.manual_seed(0)
tree = torch.nn.functional.normalize(torch.randn(64, 2), dim=-1) * (1 - torch.rand(64, 1) * 3e-3)
emb = tree.half()
dist = poincare(emb[:32], emb[32:])


def harm():
    exact = poincare(tree[:32].double(), tree[32:].double())
    off = (dist.double() / exact - 1).abs()
    return off.where(off.isfinite(), torch.ones_like(off)).mean().item()

# right:
#- emb = tree.half()
#+ emb = tree
