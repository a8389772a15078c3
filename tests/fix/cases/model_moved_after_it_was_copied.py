# machine: a100
import torch
from torch import nn


class Average:
    def __init__(self, model):
        self.shadow = {k: v.detach().clone() for k, v in model.state_dict().items()}

    @torch.no_grad()
    def update(self, model):
        for k, v in model.state_dict().items():
            self.shadow[k].mul_(0.9).add_(v, alpha=0.1)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(8, 4)
        self.second = nn.Linear(4, 4)

    def forward(self, x):
        return self.second(self.first(x))


device = torch.device("cuda")
net = Net()
average = Average(net)
net.to(device)
net(torch.randn(2, 8, device=device)).sum().backward()
average.update(net)
# fixed:
#+ net.to(device)
#- net.to(device)
