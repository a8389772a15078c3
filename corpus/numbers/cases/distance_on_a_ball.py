"""A hyperbolic distance is acosh(1 + a small number) in bfloat16: near points are at distance 0."""
import torch


def distance(a, b):
    gap = (a - b).square().sum(-1)
    rest = (1 - a.square().sum(-1)) * (1 - b.square().sum(-1))
    return torch.acosh(1 + 2 * gap / rest)  # fault: cancellation


torch.manual_seed(0)
points = 0.2 * torch.rand(32, 4)
near = points + 0.01 * torch.randn(32, 4)
found = distance(points.bfloat16().double().bfloat16(), near.bfloat16())


def harm():
    exact = distance(points.bfloat16().double(), near.bfloat16().double())
    return ((found.double() - exact).abs().mean() / exact.mean()).item()

# right:
#- found = distance(points.bfloat16().double().bfloat16(), near.bfloat16())
#+ found = distance(points.bfloat16().float(), near.bfloat16().float())
