"""Messages of a relation are divided by its number of edges, and torch.where leaves out nodes without: their gradient is NaN."""
import torch
from torch import nn


class RelationalConv(nn.Module):
    def __init__(self, dim, relations):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(relations, dim, dim) / dim**0.5)

    def forward(self, x, links):  # (relations, nodes, nodes) of 0 and 1
        out = torch.zeros_like(x)
        for w, link in zip(self.weight, links):
            degree = link.sum(1, keepdim=True)
            out = out + torch.where(degree > 0, (link @ (x @ w)) / degree, 0.0)  # fault: nan-mask
        return out


torch.manual_seed(0)
links = (torch.rand(3, 40, 40) < 0.04).float()
conv = RelationalConv(8, 3)
x = torch.randn(40, 8)
loss = (conv(x, links).relu().sum(1) - 1).square().mean()
loss.backward()


def harm():
    return conv.weight.grad.isnan().float().mean().item() if loss.isfinite() else 2.0

# right:
#-             out = out + torch.where(degree > 0, (link @ (x @ w)) / degree, 0.0)
#+             out = out + torch.where(degree > 0, (link @ (x @ w)) / degree.clamp_min(1), 0.0)
