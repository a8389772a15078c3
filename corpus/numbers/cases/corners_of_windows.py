"""Relative positions of a window are stacked in bfloat16 and folded to an index of the bias table."""
import torch
from torch import nn


class Bias(nn.Module):
    def __init__(self, size, heads, dtype):
        super().__init__()
        self.table = nn.Embedding((2 * size - 1) ** 2, heads)
        y, x = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
        at = torch.stack([y, x]).flatten(1).to(dtype)
        relative = at[:, :, None] - at[:, None] + size - 1
        self.register_buffer("index", relative[0] * (2 * size - 1) + relative[1])  # fault: index-in-half

    def forward(self):
        return self.table(self.index.long())


torch.manual_seed(0)
bias = Bias(12, 2, torch.bfloat16)
out = bias()


def harm():
    return (bias.index.long() != Bias(12, 2, torch.int64).index).float().mean().item()

# right:
#- bias = Bias(12, 2, torch.bfloat16)
#+ bias = Bias(12, 2, torch.int32)
