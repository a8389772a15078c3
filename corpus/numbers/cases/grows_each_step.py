"""A GradScaler with growth_interval=1 doubles its scale after each step: every second one overflows and is skipped."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**16, growth_interval=1)  # fault: scaler-misuse
moved = 0
for _ in range(30):
    optimizer.zero_grad()
    with torch.autocast("cpu", torch.float16):
        out = net(torch.randn(16, 8))
    loss = out.float().square().mean()
    before = net[0].weight.detach().clone()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    moved += int((net[0].weight != before).any())


def harm():
    return 1 - moved / 30

# right:
#- scaler = torch.amp.GradScaler("cpu", init_scale=2.0**16, growth_interval=1)
#+ scaler = torch.amp.GradScaler("cpu", init_scale=2.0**12)
