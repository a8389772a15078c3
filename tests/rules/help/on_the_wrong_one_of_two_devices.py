# machine: 2xa100
# help: move `x` at on_the_wrong_one_of_two_devices.py:9: .to("cuda:1")
# or: replace `device="cuda:0"` with `device="cuda:1"` at on_the_wrong_one_of_two_devices.py:8
import torch
from torch import nn
a = nn.Linear(4, 4).to("cuda:0")
b = nn.Linear(4, 4).to("cuda:1")
x = torch.zeros(2, 4, device="cuda:0")
b(x)
