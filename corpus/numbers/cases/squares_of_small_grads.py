"""A hook keeps squares of gradients of 1e-4 in float16: they are 0, and the sensitivity of every weight is 0."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(32, 4)
sensitivity = {}


def keep(name):
    def hook(grad):
        sensitivity[name] = grad.half().pow(2)  # fault: underflow
    return hook


for name, p in net.named_parameters():
    p.register_hook(keep(name))
loss = net(torch.randn(16, 32) * 0.01).sigmoid().mean()
loss.backward()


def harm():
    s = sensitivity["weight"].double()
    exact = net.weight.grad.double().pow(2)
    return ((s - exact).norm() / exact.norm()).item()

# right:
#-         sensitivity[name] = grad.half().pow(2)
#+         sensitivity[name] = grad.pow(2)
