"""Soft dynamic time warping: a softmin with gamma 0.001 by exponentials in float32, all of them 0, its logarithm -inf."""
import torch


def softmin(a, b, c, gamma):
    each = torch.stack([a, b, c]) / -gamma
    return -gamma * torch.exp(each).sum(0).log()  # fault: underflow


def warp(costs, gamma=0.001):
    table = torch.full((len(costs) + 1, costs.shape[1] + 1), 1e3, dtype=costs.dtype)
    table[0, 0] = 0
    for i in range(len(costs)):
        for j in range(costs.shape[1]):
            table[i + 1, j + 1] = costs[i, j] + softmin(table[i, j], table[i, j + 1], table[i + 1, j], gamma)
    return table[-1, -1]


torch.manual_seed(0)
costs = torch.rand(5, 6) + 0.5
length = warp(costs)


def harm():
    return 0.0 if length.isfinite() else 1.0

# right:
#-     return -gamma * torch.exp(each).sum(0).log()
#+     return -gamma * torch.logsumexp(each, 0)
