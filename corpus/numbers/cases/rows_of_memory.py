"""Nearest rows of a memory come back as a bfloat16 tensor beside their scores and are read again as indices."""
import torch
from torch import nn


class Memory(nn.Module):
    def __init__(self, rows, width):
        super().__init__()
        self.keys = nn.Parameter(torch.randn(rows, width).bfloat16(), requires_grad=False)

    def search(self, query):
        values, rows = torch.max(query @ self.keys.T, dim=-1)
        return torch.stack((values, rows.to(values.dtype)), 1)  # fault: index-in-half

    def read(self, hits):
        return self.keys[hits[:, 1].long()]


torch.manual_seed(0)
memory = Memory(1000, 16)
query = memory.keys[torch.randperm(1000)[:64]]
found = memory.read(memory.search(query * 3))


def harm():
    rows = torch.max(query * 3 @ memory.keys.T, dim=-1).indices
    return (found != memory.keys[rows]).any(-1).float().mean().item()

# right:
#-         return torch.stack((values, rows.to(values.dtype)), 1)
#+         return values, rows
#-         return self.keys[hits[:, 1].long()]
#+         return self.keys[hits[1]]
