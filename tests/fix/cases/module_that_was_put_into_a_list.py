# machine: v100
import torch
from torch import nn


class Tower(nn.Module):
    def __init__(self):
        super().__init__()
        self.patch = nn.Conv2d(3, 4, 2)

    def forward(self, x):
        return self.patch(x)


class Net(nn.Module):
    def __init__(self, tower):
        super().__init__()
        self.head = nn.Linear(4, 4)
        self.towers = [tower]

    def forward(self, x):
        return self.head(self.towers[0](x).mean((2, 3)))


net = Net(Tower()).cuda().half()
net(torch.randn(2, 3, 4, 4, device="cuda").half())

# fixed:
#-         self.towers = [tower]
#+         self.towers = nn.ModuleList([tower])
