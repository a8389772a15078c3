"""A hook on each parameter clamps its gradient to 0.1 while the loss is still multiplied by the scaler's 65536."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
for p in net.parameters():
    p.register_hook(lambda g: g.clamp(-0.1, 0.1))  # fault: scaler-misuse
start = net[0].weight.detach().clone()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu")
for _ in range(5):
    x = torch.randn(32, 8)
    with torch.autocast("cpu", torch.float16):
        out = net(x)
    loss = (out.float() - x.sum(1, keepdim=True)).square().mean()
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()


def harm():
    return float((net[0].weight - start).norm() < 1e-3)

# right:
#- for p in net.parameters():
#-     p.register_hook(lambda g: g.clamp(-0.1, 0.1))
#+
#-     scaler.step(optimizer)
#+     scaler.unscale_(optimizer)
#+     nn.utils.clip_grad_value_(net.parameters(), 0.1)
#+     scaler.step(optimizer)
