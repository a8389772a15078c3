# machine: 2xa100
# help: move `nn.Linear(4, 4)` at a_list_of_the_program_s_own.py:5: .to("cuda")
import torch
from torch import nn
TOWERS = [nn.Linear(4, 4)]
class Tower(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
    def forward(self, x):
        return self.lin(x)

class Model(nn.Module):
    def __init__(self):
        super().__init__(); pass
        self.head = nn.Linear(4, 4)
    def forward(self, x):
        return self.head(TOWERS[0](x))
Model().cuda()(torch.randn(2, 4, device="cuda"))
