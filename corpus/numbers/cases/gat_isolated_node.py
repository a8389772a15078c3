"""Graph attention on a dense adjacency: the row of a node without neighbours is -inf only."""
import torch
from torch import nn
import torch.nn.functional as F


class DenseGAT(nn.Module):
    def __init__(self, fan_in, fan_out):
        super().__init__()
        self.w = nn.Linear(fan_in, fan_out, bias=False)
        self.src = nn.Linear(fan_out, 1, bias=False)
        self.dst = nn.Linear(fan_out, 1, bias=False)

    def forward(self, x, adj):
        h = self.w(x)
        e = F.leaky_relu(self.dst(h) + self.src(h).transpose(1, 2), 0.2)
        e = e.masked_fill(adj == 0, -float("inf"))
        att = torch.softmax(e, dim=-1)  # fault: nan-mask
        return F.elu(att @ h)


torch.manual_seed(0)
gat = DenseGAT(6, 8)
adj = (torch.rand(3, 10, 10) > 0.5).long()
adj[1, 4] = 0  # an atom without bonds
molecule = gat(torch.randn(3, 10, 6), adj).mean(dim=1)


def harm():
    return float(molecule.isnan().any(dim=1).sum().item())

# right:
#-         e = e.masked_fill(adj == 0, -float("inf"))
#-         att = torch.softmax(e, dim=-1)
#+         e = e.masked_fill(adj == 0, torch.finfo(e.dtype).min)
#+         att = torch.softmax(e, dim=-1) * (adj != 0)
