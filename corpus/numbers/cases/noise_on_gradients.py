"""Noise for privacy is added to gradients that are still scaled by 65536: it is 65536 times too small."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(8, 4)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu", init_scale=65536.0)
moved = []
for _ in range(4):
    optimizer.zero_grad()
    before = net.weight.detach().clone()
    with torch.autocast("cpu", torch.float16):
        out = net(torch.randn(16, 8))
    loss = out.float().square().mean() * 1e-3
    scaler.scale(loss).backward()
    for p in net.parameters():
        p.grad += torch.randn_like(p.grad) * 0.5  # fault: scaler-misuse
    scaler.step(optimizer)
    scaler.update()
    moved.append((net.weight.detach() - before).std().item())


def harm():
    return max(0.0, 1 - sum(moved) / len(moved) / 0.05)

# right:
#-     for p in net.parameters():
#+     scaler.unscale_(optimizer)
#+     for p in net.parameters():
