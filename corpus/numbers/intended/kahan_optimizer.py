"""An optimizer for bfloat16 weights that keeps beside each what rounding took, and adds it the next time."""
import torch
from torch import nn


class Careful(torch.optim.Optimizer):
    def __init__(self, params, lr):
        super().__init__(params, {"lr": lr})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for weight in group["params"]:
                rest = self.state[weight].setdefault("rest", torch.zeros_like(weight))
                rest.add_(weight.grad, alpha=-group["lr"])
                before = weight.clone()
                weight.add_(rest)
                rest.add_(before.sub_(weight))


torch.manual_seed(0)
net = nn.Sequential(nn.Linear(16, 16), nn.Tanh(), nn.Linear(16, 1)).bfloat16()
optimizer = Careful(net.parameters(), lr=1e-3)
for _ in range(12):
    optimizer.zero_grad()
    net(torch.randn(8, 16).bfloat16()).float().square().mean().backward()
    optimizer.step()
