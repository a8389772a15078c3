"""Noise, decay and a bound of one's own for gradients that the scaler has divided; unscaled ones that are only looked at."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
other = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
norms = []
for step in range(4):
    optimizer.zero_grad()
    for _ in range(2):
        with torch.autocast("cpu", dtype=torch.float16):
            out = net(torch.randn(16, 8))
        scaler.scale(out.float().square().mean() / 2).backward()
    norms.append(torch.stack([p.grad.norm() for p in net.parameters()]).norm() / scaler.get_scale())
    scaler.unscale_(optimizer)
    norm = torch.stack([p.grad.norm() for p in net.parameters()]).norm()
    for p in net.parameters():
        p.grad.add_(p, alpha=1e-4)
        p.grad += torch.randn_like(p.grad) * 1e-3
    if norm < 100:
        scaler.step(optimizer)
    scaler.update()
half = nn.Linear(8, 2).half()
masters = [p.detach().float() for p in half.parameters()]
(half(torch.randn(4, 8).half()).float().mean() * 4096).backward()
for p, master in zip(half.parameters(), masters):
    p.grad.div_(2)
    master -= 0.1 * p.grad.float() / 2048
