# machine: 2xa100
# help: move `other` before mul, at the_same_numbers_elsewhere.py:8: .to(x.device)
# or: make it on cuda:0, at the_same_numbers_elsewhere.py:7: torch.ones(4, device="cuda:0")
import torch
from torch import nn
x = torch.randn(2, 4, device="cuda")
t = torch.ones(4)
x * t
