"""Steps of a search that has arrived are divided by a small number, and distances are of points about 0."""
import torch

torch.manual_seed(0)
x = torch.rand(64) + 1.0
root = x.sqrt()
for _ in range(4):
    before, root = root, (root + x / root) / 2
change = (root - before) / 1e-6
steps = (torch.linspace(0, 1, 65)[1:] - torch.linspace(0, 1, 65)[:-1]) / 1e-3
points = torch.randn(100, 3)
distances = torch.cdist(points, points.flip(0) + 4.0)
nearest = distances.argmin(1)
