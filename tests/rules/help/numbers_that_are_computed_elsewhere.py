# machine: 2xa100
# help: make it on cuda:0, at numbers_that_are_computed_elsewhere.py:6: torch.linspace(0, 1, 4, device="cuda:0")
import torch
from torch import nn
x = torch.randn(2, 4, device="cuda")
t = torch.linspace(0, 1, 4)
x * t
