# machine: 2xa100
# help: remove `.float()` at a_cast_that_goes_into_the_call.py:7
import torch
from torch import nn
net = nn.Linear(4, 4).cuda().half()
x = torch.randn(2, 4, device="cuda").half()
net(x.float())
