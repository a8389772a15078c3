# machine: v100
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.towers = [nn.Linear(4, 4)]

    def forward(self, x):
        return self.towers[0](x)


net = Net().cuda().half()
net(torch.randn(2, 4, device="cuda").half())

# fixed:
#-         self.towers = [nn.Linear(4, 4)]
#+         self.towers = nn.ModuleList([nn.Linear(4, 4)])
