"""Gradients are clipped while they still carry the loss scale: they end 65536 times too small."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(8, 8)
start = net.weight.detach().clone()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu")
for _ in range(3):
    optimizer.zero_grad()
    with torch.autocast("cpu", torch.float16):
        output = net(torch.randn(4, 8))
    loss = output.float().square().mean()
    scaler.scale(loss).backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)  # fault: scaler-misuse
    scaler.step(optimizer)
    scaler.update()


def harm():
    return float((net.weight - start).norm() < 1e-3)

# right:
#-     nn.utils.clip_grad_norm_(net.parameters(), 1.0)
#+     scaler.unscale_(optimizer); nn.utils.clip_grad_norm_(net.parameters(), 1.0)
