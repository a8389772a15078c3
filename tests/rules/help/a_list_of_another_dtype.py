# machine: 2xa100
# help: replace `[Tower() for _ in range(2)]` with `nn.ModuleList([Tower() for _ in range(2)])` at a_list_of_another_dtype.py:16
# or: cast `nn.Linear(4, 4)` at a_list_of_another_dtype.py:10: .to(torch.float16)
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
        super().__init__(); self.towers = [Tower() for _ in range(2)]
        self.head = nn.Linear(4, 4)
    def forward(self, x):
        return self.head(self.towers[0](x))
m = Model().half().cuda()
m(torch.randn(2, 4, device="cuda", dtype=torch.float16))
