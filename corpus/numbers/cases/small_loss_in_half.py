"""A network in float16 whose loss is small: its gradients are 0."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(8, 32), nn.Sigmoid(), nn.Linear(32, 1)).half()
inputs = torch.randn(16, 8)
loss = net(inputs.to(net[0].weight.dtype)).float().mean() * 1e-6
loss.backward()  # fault: underflow


def harm():
    return (net[0].weight.grad == 0).float().mean().item()

# right:
#- net = nn.Sequential(nn.Linear(8, 32), nn.Sigmoid(), nn.Linear(32, 1)).half()
#+ net = nn.Sequential(nn.Linear(8, 32), nn.Sigmoid(), nn.Linear(32, 1))
