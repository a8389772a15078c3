# machine: 2xa100
# help: move `x` at random_numbers_of_another_device.py:8: .to("cuda")
# or: pass device="cuda" to `torch.randn` at random_numbers_of_another_device.py:7
import torch
from torch import nn
net = nn.Linear(4, 4).cuda()
x = torch.randn(2, 4)
net(x)
