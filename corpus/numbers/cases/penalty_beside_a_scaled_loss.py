"""A gradient penalty is sent backward by itself, without the scaler's factor, into the same gradients."""
import torch
from torch import nn

torch.manual_seed(0)
critic = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
optimizer = torch.optim.Adam(critic.parameters(), lr=1e-2)
scaler = torch.amp.GradScaler("cpu", init_scale=4096.0)


def penalty(x):
    x = x.requires_grad_()
    slope = torch.autograd.grad(critic(x).sum(), x, create_graph=True)[0]
    return (slope.norm(dim=1) - 1).pow(2).mean()


for _ in range(3):
    optimizer.zero_grad()
    with torch.autocast("cpu", torch.float16):
        loss = critic(torch.randn(8, 8)).float().mean() * 1e-4
    scaler.scale(loss).backward()
    extra = penalty(torch.randn(8, 8))
    extra.backward()  # fault: scaler-misuse
    scaler.unscale_(optimizer)
    last = critic[0].weight.grad.norm().item()
    scaler.step(optimizer)
    scaler.update()


def harm():
    return 1.0 if last < 1e-2 else 0.0

# right:
#-     extra.backward()
#+     scaler.scale(extra).backward()
