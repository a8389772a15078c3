# machine: 2xa100
# help: move `t` at the_same_numbers_elsewhere.py:8: .to("cuda")
# or: pass device="cuda" to `torch.ones` at the_same_numbers_elsewhere.py:7
import torch
from torch import nn
x = torch.randn(2, 4, device="cuda")
t = torch.ones(4)
x * t
