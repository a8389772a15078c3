"""Distances between near-duplicate embeddings come from |a|^2 + |b|^2 - 2ab in float32: the parts are a million times the distance and cancel."""
import torch
from torch import nn

torch.manual_seed(0)
encoder = nn.Linear(32, 64)
catalogue = torch.randn(100, 32)
with torch.no_grad():
    a = encoder(catalogue) + 10
    b = encoder(catalogue + 5e-3 * torch.randn(100, 32)) + 10
squared = a.square().sum(-1)[:, None] + b.square().sum(-1) - 2 * a @ b.T  # fault: cancellation
nearest, index = squared.clamp(min=0).min(-1)
duplicate = nearest < 1e-3


def harm():
    right = (a.double()[:, None] - b.double()).square().sum(-1).min(-1).values
    return ((nearest.double() - right).norm() / right.norm()).item()

# right:
#- squared = a.square().sum(-1)[:, None] + b.square().sum(-1) - 2 * a @ b.T
#+ squared = (a[:, None] - b).square().sum(-1)
