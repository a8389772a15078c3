# machine: 2xa100
import torch
from torch import nn


class Stage(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(8, 8) for _ in range(2))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class Split(nn.Module):
    def __init__(self, devices):
        super().__init__()
        self.first = Stage().to(devices[0])
        self.second = Stage().to(devices[1])

    def forward(self, x):
        x = self.first(x)
        return self.second(x)


def main():
    devices = [torch.device("cuda", i) for i in range(2)]
    Split(devices)(torch.randn(2, 8, device=devices[0])).sum().backward()


main()
# fixed:
#-         return self.second(x)
#+         return self.second(x.to(next(self.second.parameters()).device))
