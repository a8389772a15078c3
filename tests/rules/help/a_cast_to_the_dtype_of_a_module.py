# machine: 2xa100
# help: remove `.type(self.towers[0].lin.weight.dtype)` at a_cast_to_the_dtype_of_a_module.py:18
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
        return self.head(self.towers[0](x.type(self.towers[0].lin.weight.dtype)))
m = Model().half()
m(torch.randn(2, 4, dtype=torch.float16))
