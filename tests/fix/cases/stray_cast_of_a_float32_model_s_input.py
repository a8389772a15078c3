# machine: v100
import torch
from torch import nn

net = nn.Linear(4, 4)
x = torch.randn(2, 4)
net(x.half())

# fixed:
#- net(x.half())
#+ net(x)
