# machine: 2xa100
# help: move `a(x)` at between_two_devices_on_one_line.py:8: .to("cuda:1")
import torch
from torch import nn
a = nn.Linear(4, 4).to("cuda:0")
b = nn.Linear(4, 4).to("cuda:1")
x = torch.randn(2, 4).to("cuda:0")
b(a(x))
