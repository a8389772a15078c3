# machine: a100
import copy

import torch
from torch import nn

net = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4)).cuda()
average = copy.deepcopy(net)
net(torch.randn(2, 3, 8, 8, device="cuda"))
state = net.state_dict()
with torch.no_grad():
    for name, value in average.state_dict().items():
        value.mul_(0.999)
        value.add_(state[name] * 0.001)
# fixed:
#+         if not value.is_floating_point():
#+             continue
