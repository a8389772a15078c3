"""AdamW with lr 1e-5 on a bfloat16 network: most weights never move."""
import copy

import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 1)).bfloat16()  # fault: half-parameters-without-master
first = copy.deepcopy(net)
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-5, weight_decay=0)
samples = torch.randn(64, 16)
for _ in range(12):
    optimizer.zero_grad()
    wanted = samples.sum(1, keepdim=True)
    loss = (net(samples.to(net[0].weight.dtype)).float() - wanted).square().mean()
    loss.backward()
    optimizer.step()


def harm():
    return (net[0].weight == first[0].weight).float().mean().item()

# right:
#- net = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 1)).bfloat16()
#+ net = nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.Linear(32, 1))
