# machine: 2xa100
# help: move `other` before mul, at numbers_that_are_computed_elsewhere.py:8: .to(x.device)
# or: make it on cuda:0, at numbers_that_are_computed_elsewhere.py:7: torch.linspace(0, 1, 4, device="cuda:0")
import torch
from torch import nn
x = torch.randn(2, 4, device="cuda")
t = torch.linspace(0, 1, 4)
x * t
