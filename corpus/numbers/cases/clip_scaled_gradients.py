"""Gradients are clipped to norm 1 while they are still multiplied by the loss scale: after unscaling their norm is 1/1024 and training crawls."""
import copy

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(16, 32), nn.Tanh(), nn.Linear(32, 1))
start = copy.deepcopy(net)
inputs = torch.randn(64, 16)
target = inputs.sum(-1, keepdim=True)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
for step in range(30):
    with torch.autocast("cpu", torch.float16):
        output = net(inputs)
    loss = (output.float() - target).square().mean()
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    nn.utils.clip_grad_norm_(net.parameters(), 1.0)  # fault: scaler-misuse
    scaler.step(optimizer)
    scaler.update()


def harm():
    exact = copy.deepcopy(start).double()
    trainer = torch.optim.SGD(exact.parameters(), lr=0.01)
    for step in range(30):
        trainer.zero_grad()
        (exact(inputs.double()) - target.double()).square().mean().backward()
        nn.utils.clip_grad_norm_(exact.parameters(), 1.0)
        trainer.step()
    found = torch.cat([(p.double() - s).flatten() for p, s in zip(net.parameters(), start.parameters())])
    right = torch.cat([(p - s).flatten() for p, s in zip(exact.parameters(), start.parameters())])
    return ((found - right).norm() / right.norm()).item()

# right:
#-     nn.utils.clip_grad_norm_(net.parameters(), 1.0)
#+     scaler.unscale_(optimizer)
#+     nn.utils.clip_grad_norm_(net.parameters(), 1.0)
