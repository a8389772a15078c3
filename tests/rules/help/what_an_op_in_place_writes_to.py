# machine: 2xa100
# help: make it on cuda:0, at what_an_op_in_place_writes_to.py:5: torch.zeros(4, device="cuda:0")
import torch
from torch import nn
x = torch.zeros(4)
x.add_(torch.ones(4, device="cuda"))
