"""A physics-informed network's target, a travelling wave sin(k x - w t), is computed in the half dtype of its inputs."""
import torch
from torch import nn

torch.manual_seed(0)
points = torch.rand(2000, 2) * torch.tensor([10.0, 60.0])
net = nn.Sequential(nn.Linear(2, 32), nn.Tanh(), nn.Linear(32, 1)).to(torch.bfloat16)
inputs = points.to(torch.bfloat16)


def wave(xt, k=6.0, w=9.0):
    x, t = xt.unbind(-1)
    return torch.sin(k * x - w * t)  # fault: angle-in-half


target = wave(inputs)
loss = (net(inputs).squeeze(-1).float() - target.float()).square().mean()


def harm():
    return (target.double() - wave(points.double())).abs().mean().item()

# right:
#- target = wave(inputs)
#+ target = wave(points)
