"""Friends in common, for link prediction, by a matrix product of a uint8 adjacency with itself: 256 friends are none."""
import torch


def common_neighbours(adjacency):
    return adjacency @ adjacency  # fault: wrap


torch.manual_seed(0)
n = 800
love = torch.rand(n)
edges = (torch.rand(n, n) < 0.3 + 0.7 * love[:, None] * love).triu(1)
adjacency = (edges | edges.T).to(torch.uint8)
common = common_neighbours(adjacency)
best = common.float().fill_diagonal_(0).flatten().topk(200).indices


def harm():
    exact = (adjacency.double() @ adjacency.double()).fill_diagonal_(0).flatten()
    return (exact[best] < exact.topk(200).values[-1]).float().mean().item()

# right:
#- common = common_neighbours(adjacency)
#+ common = common_neighbours(adjacency.to(torch.int16))
