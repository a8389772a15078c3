"""A learning rate as a float16 tensor falls by a factor of 10 at milestones: at the fifth it is 0."""
import torch
from torch import nn


def rate_at(epoch, base, milestones=(2, 4, 6, 8)):
    rate = base
    for m in milestones:
        if epoch >= m:
            rate = rate * 0.1  # fault: underflow
    return rate


torch.manual_seed(0)
net = nn.Linear(8, 1)
base = torch.tensor(3e-4, dtype=torch.float16)
rates = []
for epoch in range(10):
    x = torch.randn(32, 8)
    loss = (net(x) - x.sum(1, keepdim=True)).square().mean()
    loss.backward()
    rates.append(rate_at(epoch, base))
    with torch.no_grad():
        for p in net.parameters():
            p -= rates[-1].float() * p.grad
            p.grad = None


def harm():
    return abs(rates[-1].item() / 3e-8 - 1)

# right:
#- base = torch.tensor(3e-4, dtype=torch.float16)
#+ base = torch.tensor(3e-4)
