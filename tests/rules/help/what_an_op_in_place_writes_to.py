# machine: 2xa100
# help: pass device="cuda" to `torch.zeros` at what_an_op_in_place_writes_to.py:5
import torch
from torch import nn
x = torch.zeros(4)
x.add_(torch.ones(4, device="cuda"))
