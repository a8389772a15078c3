# machine: 2xa100
# help: cast `input` before linear at a_module_that_is_widened.py:7: .to(torch.float16)
# or: drop the cast at a_module_that_is_widened.py:7, or cast to torch.float16 there
import torch
from torch import nn
net = nn.Linear(4, 4).cuda().half()
net(torch.randn(2, 4).cuda().double())
