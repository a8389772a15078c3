# machine: a100
import torch
from torch import nn

device = "cuda"
data = torch.randn(8, 4)
net = nn.Linear(4, 4).to(device, torch.bfloat16)
for x in data.split(4):
    net(x.to(device))
# fixed:
#-     net(x.to(device))
#+     net(x.to(device, torch.bfloat16))
