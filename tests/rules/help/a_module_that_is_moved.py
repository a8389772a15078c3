# machine: 2xa100
# help: move `nn.Linear(4, 4)` at a_module_that_is_moved.py:5: .to("cuda")
import torch
from torch import nn
net = nn.Linear(4, 4)
net(torch.randn(2, 4, device="cuda"))
