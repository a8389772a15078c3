"""A Poisson loss takes log of rates that are 0 in closed hours, and torch.where leaves those out: their gradient is 0 * inf."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
x, counts = torch.randn(64, 8), torch.poisson(torch.rand(64, 4) * 2)
open_hours = torch.rand(64, 4) < 0.8


def loss_of(rate):
    log_rate = torch.where(rate > 0, torch.log(rate), 0.0)  # fault: nan-mask
    return (rate - counts * log_rate).mean()


for _ in range(3):
    optimizer.zero_grad()
    loss_of(net(x).exp() * open_hours).backward()
    optimizer.step()


def harm():
    return net[0].weight.isnan().float().mean().item()

# right:
#-     log_rate = torch.where(rate > 0, torch.log(rate), 0.0)
#+     log_rate = torch.log(torch.where(rate > 0, rate, 1.0))
