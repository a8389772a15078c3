"""A state space layer discretises its input matrix by (exp(dt * a) - 1) / a: in half, exp of a small step is 1."""
import torch
from torch import nn


class Discretise(nn.Module):
    def __init__(self, states):
        super().__init__()
        self.a = nn.Parameter(-torch.arange(1.0, states + 1))
        self.b = nn.Parameter(torch.randn(states))

    def forward(self, dt):
        step = dt[..., None] * self.a
        decay = torch.exp(step)
        drive = (torch.exp(step) - 1) / self.a * self.b  # fault: cancellation
        return decay, drive


torch.manual_seed(0)
layer = Discretise(4).half()
dt = (0.001 + 0.002 * torch.rand(8, 50)).half()
with torch.no_grad():
    decay, drive = layer(dt)


def harm():
    a, b = layer.a.detach().double(), layer.b.detach().double()
    exact = torch.expm1(dt.double()[..., None] * a) / a * b
    return ((drive - exact).abs() / exact.abs()).mean().item()

# right:
#-         drive = (torch.exp(step) - 1) / self.a * self.b
#+         drive = torch.expm1(step) / self.a * self.b
