"""The age of an event is taken between Unix times in float32, whose spacing there is 128 seconds: recent events get ages off by minutes."""
import torch
from torch import nn

torch.manual_seed(0)
now = 1_754_300_123
clicked = now - torch.randint(5, 1800, (256,))
items = nn.Embedding(500, 16)
clicked_items = torch.randint(0, 500, (256,))
age = now - clicked.float()  # fault: rounding-of-integers
recency = torch.exp(-age / 300)
weights = recency / recency.sum()
with torch.no_grad():
    profile = weights @ items(clicked_items)


def harm():
    right = torch.exp(-(now - clicked).double() / 300)
    return ((recency.double() - right).norm() / right.norm()).item()

# right:
#- age = now - clicked.float()
#+ age = (now - clicked).float()
