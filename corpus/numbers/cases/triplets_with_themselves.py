"""Distances of all pairs of a batch by sqrt of a sum of squares: on the diagonal the gradient is 0 / 0, all is NaN."""
import torch
from torch import nn


def pairwise(x):
    diff = x.unsqueeze(0) - x.unsqueeze(1)
    return diff.pow(2).sum(-1).sqrt()  # fault: nan-mask


def triplet_loss(embeddings, labels, margin=0.3):
    dist = pairwise(embeddings)
    same = labels[:, None] == labels[None]
    hardest_positive = (dist * same).amax(1)
    hardest_negative = (dist + 1e3 * same).amin(1)
    return (hardest_positive - hardest_negative + margin).relu().mean()


torch.manual_seed(0)
net = nn.Linear(8, 4)
labels = torch.arange(8) % 3
loss = triplet_loss(net(torch.randn(8, 8)), labels)
loss.backward()


def harm():
    return net.weight.grad.isnan().float().mean().item()

# right:
#-     return diff.pow(2).sum(-1).sqrt()
#+     return (diff.pow(2).sum(-1) + 1e-12).sqrt()
