# machine: 2xa100
# help: cast `input` before linear at a_cast_that_goes_into_the_call.py:8: .to(torch.float16)
# or: drop the cast at a_cast_that_goes_into_the_call.py:8, or cast to torch.float16 there
import torch
from torch import nn
net = nn.Linear(4, 4).cuda().half()
x = torch.randn(2, 4, device="cuda").half()
net(x.float())
