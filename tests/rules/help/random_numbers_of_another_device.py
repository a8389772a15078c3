# machine: 2xa100
# help: move `input` before linear, at random_numbers_of_another_device.py:8: .to(net.weight.device)
# or: make it on cuda:0, at random_numbers_of_another_device.py:7: torch.randn(2, 4, device="cuda:0")
import torch
from torch import nn
net = nn.Linear(4, 4).cuda()
x = torch.randn(2, 4)
net(x)
