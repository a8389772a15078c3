"""Gradients are divided by get_scale() for a log, in place, and scaler.step divides them by the scale once more."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 2))
start = net[0].weight.detach().clone()
optimizer = torch.optim.SGD(net.parameters(), lr=0.2)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
norms = []
for _ in range(6):
    x = torch.randn(16, 6)
    with torch.autocast("cpu", torch.float16):
        out = net(x)
    loss = (out.float() - x[:, :2]).square().mean()
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    for p in net.parameters():
        p.grad.div_(scaler.get_scale())
    norms.append(torch.stack([p.grad.norm() for p in net.parameters()]).norm().item())
    scaler.step(optimizer)  # fault: scaler-misuse
    scaler.update()


def harm():
    return float((net[0].weight - start).norm() < 1e-2)

# right:
#-     for p in net.parameters():
#-         p.grad.div_(scaler.get_scale())
#+     scaler.unscale_(optimizer)
