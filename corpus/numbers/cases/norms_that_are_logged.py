"""Gradient norms go into a log before unscale_: they follow the scale, not the training."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(8, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cpu", init_scale=512.0)
log = []
for _ in range(5):
    x = torch.randn(32, 8)
    with torch.autocast("cpu", torch.float16):
        out = net(x)
    loss = (out.float() - x.sum(1, keepdim=True)).square().mean()
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    log.append(net.weight.grad.norm().item())  # fault: scaler-misuse
    scaler.step(optimizer)
    scaler.update()


def harm():
    return float(log[0] > 100)

# right:
#-     log.append(net.weight.grad.norm().item())
#+     scaler.unscale_(optimizer)
#+     log.append(net.weight.grad.norm().item())
