# machine: a100
import copy

import torch
from torch import nn

net = nn.Linear(8, 4).to("cuda", torch.bfloat16)
average = copy.deepcopy(net).float()


@torch.no_grad()
def update(ours, theirs):
    torch._foreach_lerp_(ours, theirs, 0.01)


update(list(average.parameters()), list(net.parameters()))
net(torch.randn(2, 8, device="cuda", dtype=torch.bfloat16))
# fixed:
#-     torch._foreach_lerp_(ours, theirs, 0.01)
#+     torch._foreach_lerp_(ours, [t.to(torch.float32) for t in theirs], 0.01)
