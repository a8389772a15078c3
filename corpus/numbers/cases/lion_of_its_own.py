"""A Lion optimizer of the program's own steps bfloat16 gains, which are near 1, by less than half their spacing."""
import torch
from torch import nn


class Lion(torch.optim.Optimizer):
    def __init__(self, params, lr, betas=(0.9, 0.99)):
        super().__init__(params, {"lr": lr, "betas": betas})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            first, second = group["betas"]
            for weight in group["params"]:
                state = self.state[weight]
                if not state:
                    state["momentum"] = torch.zeros_like(weight, dtype=torch.float32)
                momentum = state["momentum"]
                direction = (first * momentum + (1 - first) * weight.grad).sign()
                weight.add_(direction.to(weight.dtype), alpha=-group["lr"])
                momentum.mul_(second).add_(weight.grad, alpha=1 - second)


class Gain(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(width, dtype=torch.bfloat16))  # fault: half-parameters-without-master

    def forward(self, x):
        return x * self.gain


torch.manual_seed(0)
net = Gain(32)
optimizer = Lion(net.parameters(), lr=1e-3)
for _ in range(8):
    optimizer.zero_grad()
    (net(torch.randn(4, 32)).float() - 3).square().mean().backward()
    optimizer.step()


def harm():
    return (net.gain == 1).float().mean().item()

# right:
#-         self.gain = nn.Parameter(torch.ones(width, dtype=torch.bfloat16))
#+         self.gain = nn.Parameter(torch.ones(width))
