"""The distance of two identical embeddings by sqrt: its gradient is 1 / 0 times 0, NaN."""
import torch
from torch import nn


def distance(a, b):
    return (a - b).pow(2).sum(dim=-1).sqrt()  # fault: nan-mask


def triplet_loss(anchor, positive, negative, margin=0.5):
    return torch.relu(distance(anchor, positive) - distance(anchor, negative) + margin).mean()


torch.manual_seed(0)
encoder = nn.Sequential(nn.Linear(24, 32), nn.ReLU(), nn.Linear(32, 8))
anchor, positive, negative = torch.randn(3, 64, 24).unbind(0)
positive[10] = anchor[10]  # a duplicate in the data set
loss = triplet_loss(encoder(anchor), encoder(positive), encoder(negative))
loss.backward()


def harm():
    grads = torch.cat([p.grad.flatten() for p in encoder.parameters()])
    return float(grads.isnan().float().mean().item())

# right:
#-     return (a - b).pow(2).sum(dim=-1).sqrt()
#+     return torch.linalg.vector_norm(a - b, dim=-1)
