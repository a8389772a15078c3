"""Token ids are cast together with all other tensors of a batch to bfloat16."""
import torch
from torch import nn

torch.manual_seed(0)
batch = {"ids": torch.randint(0, 30000, (4, 32)), "weight": torch.rand(4, 32)}
kept = batch["ids"].clone()
batch = {name: value.to(torch.bfloat16) for name, value in batch.items()}  # fault: index-in-half
embedded = nn.Embedding(30000, 4)(batch["ids"].long())


def harm():
    return (batch["ids"].long() != kept).float().mean().item()

# right:
#- batch = {name: value.to(torch.bfloat16) for name, value in batch.items()}
#+ batch = {name: value.to(torch.bfloat16) if value.is_floating_point() else value for name, value in batch.items()}
