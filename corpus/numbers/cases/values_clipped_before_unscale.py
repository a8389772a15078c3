"""Gradients are clipped by value while they carry the loss scale."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(8, 8)
start = net.weight.detach().clone()
scaler = torch.amp.GradScaler("cpu", init_scale=65536.0)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(5):
    optimizer.zero_grad()
    scaler.scale(net(torch.randn(16, 8)).square().mean()).backward()
    nn.utils.clip_grad_value_(net.parameters(), 0.5)  # fault: scaler-misuse
    scaler.step(optimizer)
    scaler.update()


def harm():
    return 0.01 / max((net.weight - start).abs().mean().item(), 1e-9)

# right:
#-     nn.utils.clip_grad_value_(net.parameters(), 0.5)
#+     scaler.unscale_(optimizer)
#+     nn.utils.clip_grad_value_(net.parameters(), 0.5)
