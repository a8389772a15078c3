"""A target network follows by tau = 0.001 in bfloat16: it stays where it is."""
import copy

import torch
from torch import nn

torch.manual_seed(0)
online = nn.Linear(32, 32).bfloat16()
target = copy.deepcopy(online)
start = target.weight.detach().clone()
with torch.no_grad():
    online.weight.mul_(1.2)
    for _ in range(200):
        for slow, fast in zip(target.parameters(), online.parameters()):
            slow.data.copy_(0.001 * fast.data + (1 - 0.001) * slow.data)  # fault: state-in-half


def harm():
    way, moved = online.weight.double() - start.double(), target.weight.double() - start.double()
    return abs((moved.norm() / way.norm()).item() / (1 - 0.999**200) - 1)

# right:
#- target = copy.deepcopy(online)
#+ target = copy.deepcopy(online).float()
