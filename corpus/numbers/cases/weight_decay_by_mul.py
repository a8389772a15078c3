"""Decoupled weight decay multiplies bfloat16 weights by 1 - 1e-5, which is 1."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(64, 64).to(torch.bfloat16)  # fault: half-parameters-without-master
start = net.weight.detach().double().norm()


@torch.no_grad()
def decay(net, lr=1e-3, rate=0.1):
    for p in net.parameters():
        p.mul_(1 - lr * rate)


for _ in range(200):
    decay(net)


def harm():
    exact = (1 - 1e-4) ** 200
    return abs(net.weight.detach().double().norm().item() / start.item() - exact)

# right:
#- net = nn.Linear(64, 64).to(torch.bfloat16)
#+ net = nn.Linear(64, 64)
