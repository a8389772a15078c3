# machine: v100
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 4)

    def forward(self, x):
        return self.inner(x)


net = Net()
net(torch.randn(2, 4, device="cuda"))

# fixed:
#- net = Net()
#+ net = Net().to("cuda")
