# machine: 2xa100
# help: move `t` at numbers_that_are_computed_elsewhere.py:8: .to("cuda")
# or: pass device="cuda" to `torch.linspace` at numbers_that_are_computed_elsewhere.py:7
import torch
from torch import nn
x = torch.randn(2, 4, device="cuda")
t = torch.linspace(0, 1, 4)
x * t
