"""A graph convolution adds torch.eye, float32, to a bfloat16 adjacency; the normalised graph and its features are wide."""
import torch
from torch import nn


class GraphConv(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.lin = nn.Linear(inputs, outputs)

    def forward(self, x, graph):
        return torch.relu(graph @ self.lin(x.to(self.lin.weight.dtype)).to(graph.dtype))


def normalised(adjacency):
    linked = adjacency + torch.eye(len(adjacency), device=adjacency.device)  # fault: widening
    scale = linked.sum(1).rsqrt()
    return scale[:, None] * linked * scale


torch.manual_seed(0)
adjacency = (torch.rand(256, 256) < 0.05).bfloat16()
adjacency = torch.maximum(adjacency, adjacency.T)
first, second = GraphConv(16, 32).bfloat16(), GraphConv(32, 32).bfloat16()
with torch.no_grad():
    graph = normalised(adjacency)
    out = second(first(torch.randn(256, 16).bfloat16(), graph), graph)


def harm():
    return (graph.nbytes + out.nbytes) / (2 * (256 * 256 + 256 * 32)) - 1

# right:
#-     linked = adjacency + torch.eye(len(adjacency), device=adjacency.device)
#+     linked = adjacency + torch.eye(len(adjacency), dtype=adjacency.dtype, device=adjacency.device)
