"""An Adam of the program's own holds its betas as bfloat16 tensors: 0.999 is 1, and 1 - 1 is divided by."""
import torch
from torch import nn


class Adam:
    def __init__(self, weights, rate, dtype):
        self.weights = list(weights)
        self.rate = rate
        self.first = torch.tensor(0.9, dtype=dtype)
        self.second = torch.tensor(0.999, dtype=dtype)  # fault: eps-vanishes
        self.moments = [(torch.zeros_like(one), torch.zeros_like(one)) for one in self.weights]
        self.count = 0

    @torch.no_grad()
    def step(self):
        self.count += 1
        for one, (mean, square) in zip(self.weights, self.moments, strict=True):
            mean.mul_(self.first).add_((1 - self.first) * one.grad)
            square.mul_(self.second).add_((1 - self.second) * one.grad ** 2)
            bias = 1 - self.second ** self.count
            step = (mean / (1 - self.first ** self.count)) / ((square / bias).sqrt() + 1e-8)
            one.sub_(self.rate * step)
            one.grad = None


torch.manual_seed(0)
net = nn.Linear(4, 4)
optimizer = Adam(net.parameters(), 1e-3, torch.bfloat16)
for _ in range(3):
    net(torch.randn(8, 4)).square().mean().backward()
    optimizer.step()


def harm():
    return 1 - net.weight.isfinite().float().mean().item()

# right:
#- optimizer = Adam(net.parameters(), 1e-3, torch.bfloat16)
#+ optimizer = Adam(net.parameters(), 1e-3, torch.float32)
