"""The aspect term of a complete IoU loss divides width by height: padded boxes are 0 by 0, and where keeps their nan gradient."""
import math

import torch
from torch import nn


def aspect_loss(sizes, target, valid):
    width, height = sizes.unbind(-1)
    aspect = torch.atan(width / height)  # fault: nan-mask
    wanted = torch.atan(target[..., 0] / target[..., 1])
    penalty = 4 / math.pi**2 * (aspect - wanted).square()
    return torch.where(valid, penalty, 0.0).sum() / valid.sum()


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 2), nn.Softplus())
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
queries, target = torch.randn(8, 10, 6), torch.rand(8, 10, 2) + 0.1
valid = torch.arange(10) < torch.randint(2, 9, (8, 1))
for _ in range(3):
    sizes = net(queries) * valid[..., None]
    loss = aspect_loss(sizes, target, valid)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def harm():
    return net[0].weight.isnan().float().mean().item()

# right:
#-     aspect = torch.atan(width / height)
#+     aspect = torch.atan(width / torch.where(valid, height, 1.0))
