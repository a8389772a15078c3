"""Adaptive gradient clipping compares each gradient's norm with a hundredth of its weight's before it is unscaled."""
import torch
from torch import nn


@torch.no_grad()
def adaptive_clip_(params, factor=0.01):
    for p in params:
        bound = p.norm().clamp_min(1e-3) * factor
        size = p.grad.norm()
        if size > bound:  # fault: scaler-misuse
            p.grad.mul_(bound / size)


torch.manual_seed(0)
net = nn.Linear(8, 4)
start = net.weight.detach().clone()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu", init_scale=4096.0)
for _ in range(6):
    x = torch.randn(32, 8)
    with torch.autocast("cpu", torch.float16):
        out = net(x)
    loss = (out.float() - x[:, :4]).square().mean()
    optimizer.zero_grad(set_to_none=True)
    scaler.scale(loss).backward()
    adaptive_clip_(net.parameters())
    scaler.step(optimizer)
    scaler.update()


def harm():
    return float((net.weight - start).norm() < 1e-3)

# right:
#-     adaptive_clip_(net.parameters())
#+     scaler.unscale_(optimizer)
#+     adaptive_clip_(net.parameters())
