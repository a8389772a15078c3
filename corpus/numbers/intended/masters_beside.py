"""A bfloat16 network whose optimizer holds float32 copies of its weights."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 1)).bfloat16()
masters = [value.detach().float().requires_grad_() for value in net.parameters()]
optimizer = torch.optim.AdamW(masters, lr=1e-4)
for _ in range(10):
    loss = net(torch.randn(8, 16).bfloat16()).float().square().mean()
    loss.backward()
    for master, value in zip(masters, net.parameters()):
        master.grad, value.grad = value.grad.float(), None
    optimizer.step()
    with torch.no_grad():
        for master, value in zip(masters, net.parameters()):
            value.copy_(master)
