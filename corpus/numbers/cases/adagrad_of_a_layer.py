"""Adagrad on a bfloat16 layer: the sum of squared gradients stands still once it is 256 times one of them."""
import torch
from torch import nn

torch.manual_seed(0)
layer = nn.Linear(4, 4, bias=False).bfloat16()
optimizer = torch.optim.Adagrad(layer.parameters(), lr=0.01)  # fault: state-in-half
for _ in range(1500):
    layer.weight.grad = torch.full_like(layer.weight, 0.25)
    optimizer.step()


def harm():
    held = optimizer.state[layer.weight]["sum"].double().mean().item()
    return abs(held / (1500 * 0.0625) - 1)

# right:
#- layer = nn.Linear(4, 4, bias=False).bfloat16()
#+ layer = nn.Linear(4, 4, bias=False)
