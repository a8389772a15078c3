"""Node degrees are summed up in bfloat16, the dtype of the stored edge weights: a hub stops at degree 256."""
import torch
from torch import nn


def gcn_norm(edge_index, edge_weight, num_nodes):
    src, dst = edge_index
    deg = torch.zeros(num_nodes, dtype=edge_weight.dtype)
    deg.index_add_(0, dst, edge_weight)  # fault: accumulate-in-half
    inv_sqrt = deg.clamp(min=1).rsqrt()
    return deg, inv_sqrt[src] * edge_weight * inv_sqrt[dst]


class GCNLayer(nn.Module):
    def __init__(self, fan_in, fan_out):
        super().__init__()
        self.lin = nn.Linear(fan_in, fan_out)

    def forward(self, x, edge_index, norm):
        x = self.lin(x)
        message = x[edge_index[0]] * norm[:, None].to(x.dtype)
        return torch.zeros_like(x).index_add_(0, edge_index[1], message)


torch.manual_seed(0)
num_nodes = 1500
src = torch.arange(num_nodes)
hub = torch.zeros(num_nodes, dtype=torch.long)
edge_index = torch.cat([torch.stack([src, hub]), torch.stack([src, torch.randperm(num_nodes)])], dim=1)
edge_weight = torch.ones(edge_index.shape[1], dtype=torch.bfloat16)  # loaded from a compact file
degree, norm = gcn_norm(edge_index, edge_weight, num_nodes)
hidden = GCNLayer(16, 16)(torch.randn(num_nodes, 16), edge_index, norm)


def harm():
    right = torch.bincount(edge_index[1], minlength=num_nodes)
    error = (degree.double() - right).abs().max().item()
    return float(error)

# right:
#-     src, dst = edge_index
#+     src, dst = edge_index
#+     edge_weight = edge_weight.float()
