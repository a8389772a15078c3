"""A collate function stacks token ids beside weights in one float16 tensor and takes them out again as indices."""
import torch
from torch import nn

torch.manual_seed(0)
ids = torch.randint(0, 32000, (4, 64))
weights = torch.rand(4, 64)


def collate(ids, weights, dtype):
    return torch.stack([ids.to(dtype), weights.to(dtype)], -1)  # fault: index-in-half


batch = collate(ids, weights, torch.float16)
table = nn.Embedding(32000, 8)
out = table(batch[..., 0].long())


def harm():
    return (batch[..., 0].long() != ids).float().mean().item()

# right:
#- batch = collate(ids, weights, torch.float16)
#+ batch = collate(ids, weights, torch.float32)
