"""Saturated units in bfloat16: tiny gradients, but none that is rounded to zero beside a large one."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(16, 32), nn.Sigmoid(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
for _ in range(5):
    optimizer.zero_grad()
    with torch.autocast("cpu", torch.bfloat16):
        output = net(torch.randn(8, 16) * 4)
    output.float().square().mean().backward()
    optimizer.step()
