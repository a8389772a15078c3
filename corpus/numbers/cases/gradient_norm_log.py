"""A monitor keeps the norm of each layer's gradients while they are scaled, and halves the rate when it passes 10."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(8, 4)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu", init_scale=4096.0)
rates = []
for _ in range(5):
    optimizer.zero_grad()
    with torch.autocast("cpu", torch.float16):
        loss = net(torch.randn(16, 8)).float().square().mean()
    scaler.scale(loss).backward()
    total = torch.stack([p.grad.norm() for p in net.parameters()]).norm()  # fault: scaler-misuse
    if total > 10:
        optimizer.param_groups[0]["lr"] *= 0.5
    rates.append(optimizer.param_groups[0]["lr"])
    scaler.step(optimizer)
    scaler.update()


def harm():
    return abs(rates[-1] / 0.1 - 1)

# right:
#-     total = torch.stack([p.grad.norm() for p in net.parameters()]).norm()
#+     scaler.unscale_(optimizer)
#+     total = torch.stack([p.grad.norm() for p in net.parameters()]).norm()
