# machine: a100
# help: remove `.type(torch.FloatTensor)` at a_module_that_was_moved_and_moved_back.py:7
import torch
from torch import nn
net = nn.Linear(4, 4).cuda()
x = torch.randn(2, 4, device="cuda")
net.type(torch.FloatTensor)
net(x)
