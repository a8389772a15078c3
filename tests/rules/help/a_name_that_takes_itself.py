# machine: v100
# help: cast `x` at a_name_that_takes_itself.py:14: .to(self.lin.weight.dtype)
# or: pass dtype=torch.float16 to `torch.ones` at a_name_that_takes_itself.py:12
import torch
from torch import nn

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)
    def forward(self, x):
        y = torch.ones(2, 4, device="cuda")
        x = torch.cat([x, y])
        return self.lin(x)
Model().half().cuda()(torch.zeros(2, 4, dtype=torch.float16, device="cuda"))
