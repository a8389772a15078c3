"""The first steps of a warm-up have lr 0: float32 weights and an average that is theirs stand still."""
import copy

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(8, 8)
average = copy.deepcopy(net)
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: max(0, step - 3) / 100)
for _ in range(8):
    optimizer.zero_grad()
    net(torch.randn(4, 8)).square().mean().backward()
    optimizer.step()
    schedule.step()
    with torch.no_grad():
        for slow, fast in zip(average.parameters(), net.parameters()):
            slow.lerp_(fast, 1e-3)
