"""SNIP keeps the weights with the largest |w * g|; in float16 these products of small numbers are 0, and the order is lost."""
import copy

import torch
import torch.nn.functional as F
from torch import nn


def masks(net, x, y, keep=0.5):
    weights = [p for p in net.parameters() if p.ndim > 1]
    loss = F.cross_entropy(net(x).float(), y, reduction="sum")
    grads = torch.autograd.grad(loss, weights)
    scores = [(w * g / len(x)).abs().flatten() for w, g in zip(weights, grads)]  # fault: underflow
    flat = torch.cat(scores)
    return flat >= flat.float().kthvalue(int(len(flat) * (1 - keep))).values


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(128, 256, bias=False), nn.Tanh(), nn.Linear(256, 10))
net[0].weight.data.mul_(0.002)
x, y = torch.randn(128, 128).half(), torch.randint(0, 10, (128,))
exact = masks(copy.deepcopy(net).half().double(), x.double(), y)
kept = masks(net.half(), x, y)


def harm():
    return (kept != exact).float().mean().item()

# right:
#-     scores = [(w * g / len(x)).abs().flatten() for w, g in zip(weights, grads)]
#+     scores = [(w.float() * g / len(x)).abs().flatten() for w, g in zip(weights, grads)]
