# machine: a100
import numpy as np
import torch
from torch import nn


def sample(fields):
    return [torch.as_tensor(one[:2], device="cuda") for one in fields]


net = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 1)).to("cuda")
states, following = sample([np.zeros((4, 3)), np.zeros((4, 3))])
print(net(states).shape, net(following).shape)
# fixed:
#-     return [torch.as_tensor(one[:2], device="cuda") for one in fields]
#+     return [torch.as_tensor(one[:2], device="cuda", dtype=torch.float32) for one in fields]
