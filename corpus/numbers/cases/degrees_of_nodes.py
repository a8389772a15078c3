"""Degrees of a graph's nodes by scatter_add_ of bfloat16 ones, batch by batch: a hub has 256 neighbours at most."""
import torch

torch.manual_seed(0)
target = torch.randint(1, 50, (500, 4))
target[:, 0] = 0
degrees = torch.zeros(50, dtype=torch.bfloat16)
for edges in target:
    degrees.scatter_add_(0, edges, torch.ones_like(degrees[edges]))  # fault: accumulate-in-half


def harm():
    return abs(float(degrees[0]) / 500 - 1)

# right:
#- degrees = torch.zeros(50, dtype=torch.bfloat16)
#+ degrees = torch.zeros(50)
