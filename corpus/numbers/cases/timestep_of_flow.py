"""Timesteps t * 1000 of a flow model are rounded to the nearest entry of a table, in bfloat16."""
import torch

torch.manual_seed(0)
steps = torch.linspace(1, 0, 60)
dtype = torch.bfloat16
t = (steps * 999).round().to(dtype)  # fault: index-in-half
table = torch.randn(1000, 4)
rows = table[t.long().clamp(0, 999)]


def harm():
    return (rows != table[(steps * 999).round().long()]).any(-1).float().mean().item()

# right:
#- dtype = torch.bfloat16
#+ dtype = torch.float32
