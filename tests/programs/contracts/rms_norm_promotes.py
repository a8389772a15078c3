# machine: a100
# real: cpu
import torch
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"


class RMSNorm(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(size))  # origin

    def forward(self, x):
        x = x * torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + 1e-6).type_as(x)
        return x * self.scale  # origin
        # fixed:         return x * self.scale.type_as(x)


norm = RMSNorm(16).to(dev)
proj = nn.Linear(16, 16, device=dev, dtype=torch.bfloat16)
proj(norm(torch.randn(2, 16, device=dev, dtype=torch.bfloat16)))  # finding: operand-dtype-mismatch linear input
