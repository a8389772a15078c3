"""Gradients are clipped while they still carry the loss scale: the step is 4096 times too short."""
import torch
from torch import nn


torch.manual_seed(0)
net = nn.Linear(32, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.2)
scaler = torch.amp.GradScaler("cpu", init_scale=4096.0)
inputs = torch.randn(256, 32)
targets = inputs @ torch.randn(32, 1)
first = nn.functional.mse_loss(net(inputs), targets).item()

for _ in range(100):
    with torch.autocast("cpu", dtype=torch.float16):
        predicted = net(inputs)
    loss = nn.functional.mse_loss(predicted.float(), targets)
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)  # fault: scaler-misuse
    scaler.step(optimizer)
    scaler.update()


def harm():
    last = nn.functional.mse_loss(net(inputs), targets).item()
    return float(last / first)

# right:
#-     scaler.scale(loss).backward()
#+     scaler.scale(loss).backward()
#+     scaler.unscale_(optimizer)
