# machine: 2xa100
# help: make it on cuda:0, at the_same_numbers_elsewhere.py:6: torch.ones(4, device="cuda:0") (safe)
import torch
from torch import nn
x = torch.randn(2, 4, device="cuda")
t = torch.ones(4)
x * t
