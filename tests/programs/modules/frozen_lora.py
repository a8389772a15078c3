# machine: a100
# real: cpu
import torch
from torch import nn


class LoRA(nn.Module):
    def __init__(self, base, rank=2):
        super().__init__()
        self.base = base.requires_grad_(False)
        self.a = nn.Parameter(torch.randn(rank, base.in_features) * 0.01)  # origin
        self.b = nn.Parameter(torch.zeros(base.out_features, rank))

    def forward(self, x):
        return self.base(x) + x @ self.a.T @ self.b.T  # finding: operand-dtype-mismatch matmul other
        # fixed: return self.base(x) + (x.to(self.a.dtype) @ self.a.T @ self.b.T).to(x.dtype)


dev = "cuda" if torch.cuda.is_available() else "cpu"
layer = LoRA(nn.Linear(8, 8).bfloat16()).to(dev)
out = layer(torch.randn(2, 8, device=dev, dtype=torch.bfloat16))
out.float().sum().backward()
