# machine: 2xa100
# help: move `h` at between_two_devices.py:9: .to("cuda:1")
import torch
from torch import nn
a = nn.Linear(4, 4).to("cuda:0")
b = nn.Linear(4, 4).to("cuda:1")
x = torch.randn(2, 4, device="cuda:0")
h = torch.relu(a(x))
b(h)
