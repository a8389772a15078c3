"""Gradients of 400 micro-batches are summed in the bfloat16 of the weights."""
import torch
from torch import nn

torch.manual_seed(0)
probe = nn.Linear(24, 2).to(torch.bfloat16)
data = torch.rand(400, 2, 24) + 0.2
for rows in data:
    score = probe(rows.to(probe.weight.dtype)).float().sum() / 400
    score.backward()  # fault: accumulate-in-half


def harm():
    exact = data.to(torch.bfloat16).double().sum((0, 1)) / 400
    return (probe.weight.grad.double() / exact - 1).mean(-1).abs().max().item()

# right:
#- probe = nn.Linear(24, 2).to(torch.bfloat16)
#+ probe = nn.Linear(24, 2)
