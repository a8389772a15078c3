# machine: 2xa100
# help: replace `dict(a=Tower())` with `nn.ModuleDict(dict(a=Tower()))` at a_dictionary.py:16
# or: move `nn.Linear(4, 4)` at a_dictionary.py:10: .to("cuda")
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
        super().__init__(); self.heads = dict(a=Tower())
        self.head = nn.Linear(4, 4)
    def forward(self, x):
        return self.head(self.heads["a"](x))
Model().cuda()(torch.randn(2, 4, device="cuda"))
