"""The largest message of each node is reduced into a tensor of -inf; a node that none points to keeps it, and it meets 0."""
import torch
from torch import nn


class MaxConv(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.message, self.gate = nn.Linear(dim, dim), nn.Linear(dim, dim)

    def forward(self, x, source, target):
        sent = self.message(x)[source]
        place = target[:, None].expand_as(sent)
        most = sent.new_full(x.shape, -torch.inf).scatter_reduce(0, place, sent, "amax")
        reached = torch.zeros(len(x), 1).index_fill_(0, target, 1.0)
        return x + torch.sigmoid(self.gate(x)) * (most * reached)  # fault: nan-mask


torch.manual_seed(0)
source, target = torch.randint(0, 100, (250,)), torch.randint(0, 100, (250,))
x = torch.randn(100, 16)
first, second = MaxConv(16), MaxConv(16)
with torch.no_grad():
    out = second(first(x, source, target), source, target)


def harm():
    return out.isnan().any(1).float().mean().item()

# right:
#-         return x + torch.sigmoid(self.gate(x)) * (most * reached)
#+         return x + torch.sigmoid(self.gate(x)) * most.masked_fill(reached == 0, 0.0)
