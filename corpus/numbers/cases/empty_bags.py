"""Attention over a bag of instances by masked_fill(-inf).softmax: an empty bag is NaN, and the batch mean too."""
import torch
from torch import nn


class Pool(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.score = nn.Linear(width, 1)

    def forward(self, x, mask):
        scores = self.score(x).squeeze(-1)
        scores.masked_fill_(~mask, -float("inf"))
        weights = scores.softmax(1)  # fault: nan-mask
        return torch.bmm(weights[:, None], x).squeeze(1)


torch.manual_seed(0)
sizes = torch.tensor([3, 0, 5])
mask = torch.arange(5)[None] < sizes[:, None]
with torch.no_grad():
    pooled = Pool(8)(torch.randn(3, 5, 8), mask)


def harm():
    return pooled.isnan().float().mean().item()

# right:
#-         scores.masked_fill_(~mask, -float("inf"))
#+         scores.masked_fill_(~mask, -1e4)
