"""MeZO tunes by two forward passes: weights go up, down and back by 1e-3 in place, in bfloat16, and never come back."""
import torch
import torch.nn.functional as F
from torch import nn


@torch.no_grad()
def shift(params, seed, by):
    g = torch.Generator().manual_seed(seed)
    for p in params:
        z = torch.randn(p.shape, generator=g)
        p.add_(z.to(p.dtype), alpha=by)  # fault: half-parameters-without-master


@torch.no_grad()
def zeroth_order_step(net, x, y, seed, eps=1e-3, lr=1e-2):
    params = list(net.parameters())
    dtype = params[0].dtype
    loss = lambda: F.mse_loss(net(x.to(dtype)).float(), y).item()
    shift(params, seed, eps)
    up = loss()
    shift(params, seed, -2 * eps)
    down = loss()
    shift(params, seed, eps)
    shift(params, seed, -lr * (up - down) / (2 * eps))
    return up


torch.manual_seed(0)
x = torch.randn(128, 16)
net = nn.Linear(16, 2)
y = net(x).detach() + 0.02 * x[:, :2]
net.bfloat16()
losses = [zeroth_order_step(net, x, y, seed) for seed in range(600)]


def harm():
    return losses[-1] / losses[0]

# right:
#- net.bfloat16()
#+
