"""The scale is updated between micro-batches: gradients of different scales are added."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(8, 1)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0, growth_interval=1)
optimizer = torch.optim.SGD(net.parameters(), lr=1.0)
start = net.weight.detach().clone()
batches = [torch.rand(16, 8) for _ in range(4)]
for number, batch in enumerate(batches):
    scaler.scale(net(batch).mean() / 4).backward()  # fault: scaler-misuse
    if number == 3:
        scaler.step(optimizer)
    else:
        scaler.unscale_(optimizer)
    scaler.update()


def harm():
    right = start - torch.stack(batches).mean((0, 1))
    return ((net.weight - right).norm() / (right - start).norm()).item()

# right:
#-     if number == 3:
#-         scaler.step(optimizer)
#-     else:
#-         scaler.unscale_(optimizer)
#-     scaler.update()
#+     if number == 3:
#+         scaler.step(optimizer)
#+         scaler.update()
