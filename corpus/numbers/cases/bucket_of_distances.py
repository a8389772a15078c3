"""T5's buckets of relative distances take a logarithm of bfloat16 distances: borders of buckets move."""
import math

import torch


def bucket(distance, buckets=32, furthest=128):
    exact = buckets // 2
    large = exact + (torch.log(distance / exact) / math.log(furthest / exact) * (buckets - exact))
    large = large.clamp(max=buckets - 1)
    return torch.where(distance < exact, distance, large).long()  # fault: index-in-half


query, key = torch.arange(300)[:, None], torch.arange(300)[None, :]
distance = (query - key).clamp(min=1)
torch.manual_seed(0)
hidden = torch.randn(1, 300, 64, dtype=torch.bfloat16)
buckets = bucket(distance.to(hidden.dtype))
bias = torch.randn(32, 8)[buckets]


def harm():
    return (buckets != bucket(distance.double())).float().mean().item()

# right:
#- buckets = bucket(distance.to(hidden.dtype))
#+ buckets = bucket(distance.float())
