# machine: a100
import copy

import torch
from torch import nn

net = nn.Linear(8, 4).to("cuda", torch.bfloat16)
average = copy.deepcopy(net).float()
with torch.no_grad():
    ours = list(average.parameters())
    theirs = [p.detach() for p in net.parameters()]
    torch._foreach_lerp_(ours, theirs, 0.01)
net(torch.randn(2, 8, device="cuda", dtype=torch.bfloat16))
# fixed:
#-     theirs = [p.detach() for p in net.parameters()]
#+     theirs = [p.detach().to(torch.float32) for p in net.parameters()]
