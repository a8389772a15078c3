# machine: a100
import torch
from torch import nn


class Slope(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(2, 50), nn.Tanh(), nn.Linear(50, 2))

    def forward(self, t, y):
        return self.net(y**3)


class Solver(nn.Module):
    def __init__(self, slope):
        super().__init__()
        self.slope = slope

    def forward(self, y):
        for t in range(3):
            y = y + 0.1 * self.slope(t, y)
        return y


def solve(slope, y):
    return Solver(slope)(y)


device = "cuda"
slope = Slope()
start = torch.tensor([[2.0, 0.0]], device=device)
solve(slope, start).sum().backward()

# fixed:
#- slope = Slope()
#+ slope = Slope().to(device)
