"""A class trains with float16 autocast and a scaler that somebody has switched off: small gradients are 0."""
import torch
from torch import nn


class Fit:
    def __init__(self, net, scaled):
        self.net = net
        self.optimizer = torch.optim.SGD(net.parameters(), lr=10.0)
        self.scaler = torch.amp.GradScaler("cpu", enabled=scaled)

    def step(self, x):
        with torch.autocast("cpu", torch.float16):
            hidden = self.net(x)
            loss = hidden.float().square().mean() * 2e-7
        self.scaler.scale(loss).backward()  # fault: underflow
        self.zeros = (self.net[0].weight.grad == 0).float().mean().item()
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.optimizer.zero_grad()


torch.manual_seed(0)
fit = Fit(nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 16)), False)
for _ in range(3):
    fit.step(torch.randn(16, 32))


def harm():
    return fit.zeros

# right:
#- fit = Fit(nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 16)), False)
#+ fit = Fit(nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 16)), True)
