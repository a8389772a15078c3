"""Slots of a paged cache, block * 16 + offset, are computed in the dtype of the block table, float16."""
import torch

torch.manual_seed(0)
blocks = torch.randperm(400)[:8]
table = blocks.to(torch.float16)
length = 100
place = torch.arange(length)
slots = (table[place // 16] * 16 + (place % 16)).long()  # fault: index-in-half
cache = torch.arange(6400)
read = cache[slots.clamp(max=6399)]


def harm():
    return (read != blocks[place // 16] * 16 + place % 16).float().mean().item()

# right:
#- table = blocks.to(torch.float16)
#+ table = blocks
