# machine: 2xa100
import torch
from torch import nn

first, second = torch.device("cuda:0"), torch.device("cuda:1")
one, two = nn.Linear(4, 4).to(first), nn.Linear(4, 4).to(second)
bias = torch.ones(4, device=first)
hidden = one(torch.randn(2, 4, device=first))
out = two(hidden.to(second)) + bias

# fixed:
#- bias = torch.ones(4, device=first)
#+ bias = torch.ones(4, device=second)
