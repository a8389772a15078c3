"""A graph attention's softmax over edges adds up its denominators with index_add in bfloat16: a hub's stops at 256."""
import torch
import torch.nn.functional as F
from torch import nn


def edge_softmax(scores, target, nodes):
    scores = (scores - scores.amax()).exp()
    total = scores.new_zeros(nodes).index_add_(0, target, scores)  # fault: accumulate-in-half
    return scores / total[target]


class GAT(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.lin = nn.Linear(dim, dim)
        self.a = nn.Parameter(0.2 * torch.randn(2 * dim))

    def forward(self, x, source, target):
        h = self.lin(x)
        scores = F.leaky_relu(torch.cat([h[source], h[target]], -1) @ self.a, 0.2)
        self.weights = edge_softmax(scores, target, len(x)).to(h.dtype)
        return torch.zeros_like(h).index_add_(0, target, self.weights[:, None] * h[source])


torch.manual_seed(0)
source = torch.randint(0, 2000, (12000,))
target = torch.where(torch.rand(12000) < 0.6, source % 3, torch.randint(0, 2000, (12000,)))
layer = GAT(16).bfloat16()
with torch.no_grad():
    out = layer(0.5 * torch.randn(2000, 16).bfloat16(), source, target)


def harm():
    mass = torch.zeros(2000, dtype=torch.float64).index_add_(0, target, layer.weights.double())
    return (mass[:3] - 1).abs().mean().item()

# right:
#-     scores = (scores - scores.amax()).exp()
#+     scores = (scores.float() - scores.amax()).exp()
