# machine: a100
import torch
from torch import nn


def adjacency(edges, nodes):
    values = torch.ones(edges.shape[1])
    return torch.sparse_coo_tensor(edges, values, (nodes, nodes)).coalesce()


class Convolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x, graph):
        return torch.sparse.mm(graph, self.linear(x))


def main():
    device = torch.device("cuda")
    graph = adjacency(torch.tensor([[0, 1, 2], [1, 2, 0]]), 3)
    net = Convolution().to(device)
    print(net(torch.randn(3, 4).to(device), graph))


main()
# fixed:
#-     graph = adjacency(torch.tensor([[0, 1, 2], [1, 2, 0]]), 3)
#+     graph = adjacency(torch.tensor([[0, 1, 2], [1, 2, 0]]), 3).to(device)
