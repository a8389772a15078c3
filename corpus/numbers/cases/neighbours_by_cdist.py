"""Nearest neighbours of points in metres of a map grid by torch.cdist, which multiplies out |a|^2 - 2ab + |b|^2."""
import torch


def nearest(queries, points):
    distances = torch.cdist(queries, points)  # fault: cancellation
    return distances.topk(3, largest=False)


torch.manual_seed(0)
points = torch.rand(400, 3) * 5 + torch.tensor([52000.0, 91000.0, 300.0])
queries = points[:64] + 0.1 * torch.randn(64, 3)
far, neighbours = nearest(queries, points)


def harm():
    exact = torch.cdist(queries.double(), points.double()).topk(3, largest=False).indices
    return (neighbours != exact).float().mean().item()

# right:
#- far, neighbours = nearest(queries, points)
#+ middle = points.mean(0); far, neighbours = nearest(queries - middle, points - middle)
