# machine: 2xa100
# help: cast `m ** 2` at ones_that_are_raised_to_a_power.py:9: .to(torch.float16)
# or: pass dtype=torch.float16 to `torch.ones` at ones_that_are_raised_to_a_power.py:8
import torch
from torch import nn
net = nn.Linear(4, 4).cuda().half()
x = torch.randn(2, 4, device="cuda").half()
m = torch.ones(2, 4, device="cuda")
net(m ** 2)
