# machine: 2xa100
# help: replace `[Tower()]` with `nn.ModuleList([Tower()])` at a_list_that_to_does_not_reach.py:16
# or: move `nn.Linear(4, 4)` at a_list_that_to_does_not_reach.py:10: .to("cuda")
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
        super().__init__(); self.towers = [Tower()]
        self.head = nn.Linear(4, 4)
    def forward(self, x):
        return self.head(self.towers[0](x))
Model().cuda()(torch.randn(2, 4, device="cuda"))
