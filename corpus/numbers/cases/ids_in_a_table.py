"""Rows of a table, ids beside features, are one bfloat16 tensor from torch.stack; ids are looked up again later."""
import torch
from torch import nn


def collate(samples, dtype):
    ids = torch.tensor([number for number, _ in samples])
    values = torch.tensor([value for _, value in samples])
    return torch.stack([ids.to(dtype), values.to(dtype)], 1)  # fault: index-in-half


torch.manual_seed(0)
table = nn.Embedding(5000, 4)
samples = [(37 * n % 5000, n / 100) for n in range(200)]
batch = collate(samples, torch.bfloat16)
rows = table(batch[:, 0].long().clamp(max=4999))


def harm():
    asked = torch.tensor([number for number, _ in samples])
    return (batch[:, 0].long() != asked).float().mean().item()

# right:
#- batch = collate(samples, torch.bfloat16)
#+ batch = collate(samples, torch.float32)
