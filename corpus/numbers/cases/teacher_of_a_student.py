"""A BYOL target network lives in float16 and follows by target.data = tau * target + (1 - tau) * online."""
import copy

import torch
from torch import nn

torch.manual_seed(0)
online = nn.Linear(32, 32)
target = copy.deepcopy(online)
target.half()
first = target.weight.detach().double().clone()
tau = 0.9999
with torch.no_grad():
    online.weight.add_(0.3 * online.weight.sign())
    for _ in range(100):
        for slow, fast in zip(target.parameters(), online.parameters()):
            slow.data = tau * slow.data + (1 - tau) * fast.data.to(slow.dtype)  # fault: state-in-half


def harm():
    moved = (target.weight.double() - first).norm() / (online.weight.double() - first).norm()
    return abs(moved.item() / (1 - tau**100) - 1)

# right:
#- target.half()
