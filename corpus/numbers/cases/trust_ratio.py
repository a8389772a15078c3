"""A layer-wise rate (LARS) divides by the norm of small float16 gradients, whose squares are 0: the step is infinite."""
import torch
from torch import nn


@torch.no_grad()
def lars_step(params, lr, trust=0.001):
    for p in params:
        w_norm = p.pow(2).sum().sqrt()
        g_norm = p.grad.pow(2).sum().sqrt()  # fault: underflow
        p.add_(p.grad * (lr * trust * w_norm / g_norm), alpha=-1)


torch.manual_seed(0)
net = nn.Linear(32, 8, bias=False)
dtype = torch.float16
net.to(dtype)
(net(torch.randn(16, 32).to(dtype)).float().square().mean() * 1e-4).backward()
before = net.weight.detach().clone()
lars_step(net.parameters(), lr=10.0)


def harm():
    moved = (net.weight - before).double().norm() / before.double().norm()
    return min(1.0, abs(moved.item() / 0.01 - 1)) if moved.isfinite() else 1.0

# right:
#- dtype = torch.float16
#+ dtype = torch.float32
