# machine: a100
import torch
from torch import nn


class Expert(nn.Module):
    def __init__(self):
        super().__init__()
        self.up = nn.Linear(8, 8)

    def forward(self, x):
        return self.up(x)


expert = Expert().cuda()
x = torch.randn(4, 8, device="cuda")
out = torch.zeros_like(x)
token = torch.tensor([0, 2], device="cuda")
with torch.autocast("cuda", dtype=torch.bfloat16):
    y = expert(x[token])
    out.index_add_(0, token, y)
# fixed:
#-     out.index_add_(0, token, y)
#+     out.index_add_(0, token, y.to(out.dtype))
