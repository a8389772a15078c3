"""A mixture density head takes the logarithm of a sum of float32 densities: far targets have none, the loss is inf."""
import math

import torch
from torch import nn


class MixtureHead(nn.Module):
    def __init__(self, width, parts):
        super().__init__()
        self.weight, self.mean, self.scale = (nn.Linear(width, parts) for _ in range(3))

    def forward(self, x, target):
        share = self.weight(x).softmax(-1)
        sigma = nn.functional.softplus(self.scale(x)) * 0.1
        z = (target.unsqueeze(-1) - self.mean(x)) / sigma
        density = torch.exp(-0.5 * z * z) / (sigma * math.sqrt(2 * math.pi))
        return -torch.log((share * density).sum(-1))  # fault: underflow


torch.manual_seed(0)
head = MixtureHead(16, 5)
x, y = torch.randn(64, 16), torch.randn(64) * 3
nll = head(x, y)


def harm():
    return (~nll.isfinite()).float().mean().item()

# right:
#-         density = torch.exp(-0.5 * z * z) / (sigma * math.sqrt(2 * math.pi))
#-         return -torch.log((share * density).sum(-1))
#+         density = -0.5 * z * z - torch.log(sigma * math.sqrt(2 * math.pi))
#+         return -torch.logsumexp(share.log() + density, -1)
