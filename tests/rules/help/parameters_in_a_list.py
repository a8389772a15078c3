# machine: 2xa100
# help: replace `[nn.Parameter(torch.zeros(4, 4))]` with `nn.ParameterList([nn.Parameter(torch.zeros(4, 4))])` at parameters_in_a_list.py:15
import torch
from torch import nn

class Tower(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
    def forward(self, x):
        return self.lin(x)

class Model(nn.Module):
    def __init__(self):
        super().__init__(); self.ws = [nn.Parameter(torch.zeros(4, 4))]
        self.head = nn.Linear(4, 4)
    def forward(self, x):
        return self.head((lambda x: nn.functional.linear(x, self.ws[0]))(x))
Model().cuda()(torch.randn(2, 4, device="cuda"))
