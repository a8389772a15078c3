# machine: a100
import torch
from torch import nn


class Adapted(nn.Module):
    def __init__(self, base, rank=2):
        super().__init__()
        self.base = base
        self.A = nn.Parameter(torch.randn(rank, base.in_features))
        self.B = nn.Parameter(torch.zeros(base.out_features, rank))

    def forward(self, x):
        return self.base(x) + x @ self.A.t() @ self.B.t()


net = nn.Linear(8, 4).to("cuda", torch.bfloat16)
net = Adapted(net)
net(torch.randn(3, 8, device="cuda", dtype=torch.bfloat16)).sum().backward()

# fixed:
#-         self.A = nn.Parameter(torch.randn(rank, base.in_features))
#-         self.B = nn.Parameter(torch.zeros(base.out_features, rank))
#+         self.A = nn.Parameter(torch.randn(rank, base.in_features, dtype=base.weight.dtype, device=base.weight.device))
#+         self.B = nn.Parameter(torch.zeros(base.out_features, rank, dtype=base.weight.dtype, device=base.weight.device))
