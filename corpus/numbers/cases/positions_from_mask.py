"""Positions counted off a bfloat16 attention mask: behind 256 neighbours share one."""
import torch
from torch import nn

torch.manual_seed(0)
attention_mask = torch.ones(2, 600, dtype=torch.bfloat16)
positions = attention_mask.cumsum(-1) - 1  # fault: index-in-half
embedded = nn.Embedding(1024, 8)(positions.long())


def harm():
    return (positions[0].long() != torch.arange(600)).float().mean().item()

# right:
#- positions = attention_mask.cumsum(-1) - 1
#+ positions = attention_mask.long().cumsum(-1) - 1
