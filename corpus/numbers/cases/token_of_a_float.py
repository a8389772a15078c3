"""Positions of packed documents are made from a bfloat16 cumulative sum of starts minus one, for the embedding."""
import torch
from torch import nn


class Packed(nn.Module):
    def __init__(self, longest, width):
        super().__init__()
        self.places = nn.Embedding(longest, width)

    def forward(self, starts):
        number = torch.arange(len(starts), dtype=starts.dtype)  # fault: index-in-half
        begin = torch.cummax(number * starts, 0).values
        return self.places((number - begin).long())


torch.manual_seed(0)
starts = torch.zeros(900)
starts[[0, 310, 620]] = 1
packed = Packed(400, 4).requires_grad_(False)
embedded = packed(starts.bfloat16())


def harm():
    exact = packed(starts)
    return (embedded != exact).any(-1).float().mean().item()

# right:
#- embedded = packed(starts.bfloat16())
#+ embedded = packed(starts)
