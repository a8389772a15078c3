"""Squared distances by |a|^2 + |b|^2 - 2ab in float32: the neighbours are much closer than they are long."""
import torch


def squared_distances(a, b):
    return (a ** 2).sum(1)[:, None] + (b ** 2).sum(1)[None, :] - 2 * a @ b.T  # fault: cancellation


def nearest(queries, items, chunk=64):
    return torch.cat([squared_distances(part, items).argmin(dim=1) for part in queries.split(chunk)])


torch.manual_seed(0)
centre = 5 + torch.randn(32)
items = centre + 0.001 * torch.randn(500, 32)
queries = centre + 0.001 * torch.randn(256, 32)
found = nearest(queries, items)


def harm():
    right = torch.cdist(queries.double(), items.double(), compute_mode="donot_use_mm_for_euclid_dist").argmin(dim=1)
    wrong = (found != right).double().mean().item()
    return float(wrong)

# right:
#-     return (a ** 2).sum(1)[:, None] + (b ** 2).sum(1)[None, :] - 2 * a @ b.T
#+     return (a[:, None, :] - b[None, :, :]).pow(2).sum(dim=-1)
