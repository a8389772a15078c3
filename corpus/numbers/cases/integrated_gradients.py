"""Integrated gradients of a bfloat16 classifier: the gradients of 300 steps are added up in bfloat16."""
import torch
from torch import nn


def attribute(net, x, steps=300):
    total = torch.zeros_like(x)
    for k in range(steps):
        point = (x * ((k + 0.5) / steps)).requires_grad_()
        (grad,) = torch.autograd.grad(net(point)[:, 0].sum(), point)
        total += grad  # fault: accumulate-in-half
    return total, x * (total / steps)


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(12, 32), nn.Softplus(), nn.Linear(32, 3)).to(torch.bfloat16)
x = torch.randn(16, 12).bfloat16()
total, attribution = attribute(net, x)


def harm():
    exact = torch.zeros(16, 12, dtype=torch.float64)
    for k in range(300):
        point = (x * ((k + 0.5) / 300)).requires_grad_()
        exact += torch.autograd.grad(net(point)[:, 0].sum(), point)[0].double()
    return (total.double() - exact).abs().mean().item() / exact.abs().mean().item()

# right:
#-     total = torch.zeros_like(x)
#+     total = torch.zeros_like(x, dtype=torch.float32)
