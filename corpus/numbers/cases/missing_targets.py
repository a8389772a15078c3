"""Targets that were not measured are NaN in the table, and a mask of zeros is multiplied to their errors."""
import torch
from torch import nn


def masked_loss(prediction, target):
    measured = ~torch.isnan(target)
    error = (prediction - target).square() * measured  # fault: nan-mask
    return error.sum() / measured.sum()


torch.manual_seed(0)
net = nn.Linear(6, 3)
x = torch.randn(40, 6)
table = torch.randn(40, 3)
table[torch.rand(40, 3) < 0.2] = float("nan")
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for _ in range(2):
    loss = masked_loss(net(x), table)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def harm():
    return net.weight.isnan().float().mean().item()

# right:
#-     error = (prediction - target).square() * measured
#+     error = (prediction - target.nan_to_num()).square() * measured
