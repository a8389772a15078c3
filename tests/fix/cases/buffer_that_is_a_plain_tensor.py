# machine: v100
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = torch.zeros(4)

    def forward(self, x):
        return x - self.mean


net = Net().cuda()
net(torch.randn(2, 4, device="cuda"))

# fixed:
#-         self.mean = torch.zeros(4)
#+         self.register_buffer("mean", torch.zeros(4), persistent=False)
