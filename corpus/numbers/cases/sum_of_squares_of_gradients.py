"""The noise scale of gradients from their squared norm in float16: each square is below 6e-8, their sum is 0."""
import torch
from torch import nn


def squared(parameters):
    return sum((p.grad * p.grad).sum() for p in parameters)  # fault: underflow


torch.manual_seed(0)
net = nn.Linear(32, 8).half()
for p in net.parameters():
    p.grad = (torch.randn(p.shape) * 5e-5).to(p.dtype)
size = squared(net.parameters())


def harm():
    exact = sum(p.grad.double().pow(2).sum() for p in net.parameters())
    return abs(size.item() / exact.item() - 1)

# right:
#- net = nn.Linear(32, 8).half()
#+ net = nn.Linear(32, 8)
