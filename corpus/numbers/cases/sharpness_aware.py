"""Sharpness-aware minimisation climbs by rho = 0.002 along the gradient in bfloat16: it stays where it was."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 1)).to(torch.bfloat16)
optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
x = torch.randn(64, 32).to(net[0].weight.dtype)
y = x[:, :4].sum(1, keepdim=True)
climbed = []


def closure():
    loss = (net(x) - y).float().square().mean()
    loss.backward()
    return loss


for _ in range(4):
    optimizer.zero_grad()
    closure()
    with torch.no_grad():
        norm = torch.stack([p.grad.float().norm() for p in net.parameters()]).norm()
        before = [p.clone() for p in net.parameters()]
        for p in net.parameters():
            p.add_(p.grad * (0.002 / norm).to(p.dtype))  # fault: half-parameters-without-master
        climbed.append(torch.stack([(p.float() - b.float()).norm() for p, b in zip(net.parameters(), before)]).norm())
    optimizer.zero_grad()
    closure()
    with torch.no_grad():
        for p, b in zip(net.parameters(), before, strict=True):
            p.copy_(b)
    optimizer.step()


def harm():
    return abs(torch.stack(climbed).mean().item() / 0.002 - 1)

# right:
#- net = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 1)).to(torch.bfloat16)
#+ net = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 1)).to(torch.float32)
