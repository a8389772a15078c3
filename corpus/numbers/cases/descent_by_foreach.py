"""Gradient descent by one foreach call on bfloat16 weights: the step is below their spacing."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 4)).bfloat16()
start = net[0].weight.detach().clone()
weights = list(net.parameters())
for _ in range(10):
    loss = net(torch.randn(64, 32, dtype=torch.bfloat16)).float().square().mean()
    gradients = torch.autograd.grad(loss, weights)
    with torch.no_grad():
        torch._foreach_add_(weights, gradients, alpha=-1e-4)  # fault: half-parameters-without-master


def harm():
    return (net[0].weight == start).float().mean().item()

# right:
#- net = nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 4)).bfloat16()
#+ net = nn.Sequential(nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 4))
#-     loss = net(torch.randn(64, 32, dtype=torch.bfloat16)).float().square().mean()
#+     loss = net(torch.randn(64, 32)).float().square().mean()
