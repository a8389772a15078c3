# machine: 2xa100
# help: remove `.double()` at a_module_that_is_widened.py:6
import torch
from torch import nn
net = nn.Linear(4, 4).cuda().half()
net(torch.randn(2, 4).cuda().double())
