# machine: 2xv100
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)
        self.scale = torch.ones(8)

    def forward(self, x):
        return self.linear(x) * self.scale.to(x.device)


net = nn.DataParallel(Net().to("cuda:0"), device_ids=[0, 1])
print(net(torch.randn(4, 8, device="cuda:0")).shape)
