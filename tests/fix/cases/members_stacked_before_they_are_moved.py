# machine: a100
import copy

import torch
from torch import nn
from torch.func import functional_call, stack_module_state, vmap


class Member(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(6, 1)

    def forward(self, x):
        return self.fc(x)


device = "cuda"
members = [Member() for _ in range(3)]
params, buffers = stack_module_state(members)
base = copy.deepcopy(members[0]).to("meta")
for member in members:
    member.to(device)
x = torch.randn(4, 6, device=device)
out = vmap(lambda p, b: functional_call(base, (p, b), (x,)))(params, buffers)
loss = (out - x.sum(1, keepdim=True)).square().mean()
loss.backward()
# fixed:
#- members = [Member() for _ in range(3)]
#+ members = [Member().to(device) for _ in range(3)]
