"""A derivative by a difference with a step of 1e-6 in float32 has one digit."""
import torch

points = torch.linspace(1, 2, 50)
step = 1e-6


def curve(x):
    return x.exp() * x


slope = (curve(points + step) - curve(points)) / step  # fault: cancellation


def harm():
    exact = points.double().exp() * (1 + points.double())
    return (slope.double() / exact - 1).abs().max().item()

# right:
#- slope = (curve(points + step) - curve(points)) / step
#+ slope = (curve(points.double() + step) - curve(points.double())) / step
