"""Weight decay by hand: bfloat16 weights times 1 - 1e-4 are the same weights."""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Linear(64, 64).bfloat16()
start = net.weight.detach().clone()
with torch.no_grad():
    for _ in range(100):
        for weight in net.parameters():
            weight.mul_(1 - 1e-3 * 0.1)  # fault: state-in-half


def harm():
    return (net.weight == start).float().mean().item()

# right:
#- net = nn.Linear(64, 64).bfloat16()
#+ net = nn.Linear(64, 64)
