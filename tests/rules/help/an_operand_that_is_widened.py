# machine: 2xa100
# help: cast `x + 1` at an_operand_that_is_widened.py:8: .to(torch.float32)
# or: remove `.half()` at an_operand_that_is_widened.py:7
import torch
from torch import nn
net = nn.Linear(4, 4, dtype=torch.float32).cuda()
x = torch.randn(2, 4).cuda().half()
net(x + 1)
