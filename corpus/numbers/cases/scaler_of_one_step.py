"""A new GradScaler in each step: what it learnt of an overflow is forgotten, each step is skipped."""
import torch
from torch import nn


def train(net, optimizer, batch, scaler):
    optimizer.zero_grad()
    with torch.autocast("cpu", torch.float16):
        output = net(batch)
    loss = output.float().square().mean()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()


torch.manual_seed(0)
net = nn.Linear(8, 8)
start = net.weight.detach().clone()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
kept = torch.amp.GradScaler("cpu", init_scale=2.0 ** 24)
for _ in range(12):
    scaler = torch.amp.GradScaler("cpu", init_scale=2.0 ** 24)  # fault: scaler-misuse
    train(net, optimizer, torch.randn(4, 8), scaler)


def harm():
    return float((net.weight == start).float().mean())

# right:
#-     scaler = torch.amp.GradScaler("cpu", init_scale=2.0 ** 24)
#+     scaler = kept
