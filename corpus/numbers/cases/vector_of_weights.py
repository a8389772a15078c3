"""Weights as one vector: parameters_to_vector, minus a small step, and back, all in float16."""
import torch
from torch import nn
from torch.nn.utils import parameters_to_vector, vector_to_parameters

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(12, 24), nn.Tanh(), nn.Linear(24, 1))
net.half()  # fault: half-parameters-without-master
start = parameters_to_vector(net.parameters()).detach().clone()
for _ in range(20):
    inputs = torch.randn(32, 12)
    loss = (net(inputs.to(net[0].weight.dtype)).float() - inputs.sum(1, keepdim=True)).abs().mean()
    grads = torch.autograd.grad(loss, list(net.parameters()))
    step = torch.cat([g.flatten() for g in grads])
    with torch.no_grad():
        vector_to_parameters(parameters_to_vector(net.parameters()) - 2e-5 * step.sign(), net.parameters())


def harm():
    return (parameters_to_vector(net.parameters()).detach() == start).float().mean().item()

# right:
#- net.half()
