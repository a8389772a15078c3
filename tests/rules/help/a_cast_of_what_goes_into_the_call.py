# machine: 2xa100
# help: cast `x` at a_cast_of_what_goes_into_the_call.py:9: .to(torch.float16)
# or: remove `.float()` at a_cast_of_what_goes_into_the_call.py:8
import torch
from torch import nn
net = nn.Linear(4, 4).cuda().half()
x = torch.randn(2, 4, device="cuda").half()
x = x.float()
net(x)
