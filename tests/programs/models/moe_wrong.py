# machine: a100
# real: cpu
# The routing weights stay float32: index_add_ refuses.
import torch
import torch.nn.functional as F
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"
expert = nn.Linear(8, 8).to(dev, torch.bfloat16)
x = torch.randn(10, 8, device=dev, dtype=torch.bfloat16)
weights = F.softmax(x[:, :2], dim=1, dtype=torch.float)
out = torch.zeros_like(x)
token = torch.arange(10, device=dev)
y = expert(x) * weights[:, :1]
out.index_add_(0, token, y)  # finding: operand-dtype-mismatch index_add_ source
# fixed: out.index_add_(0, token, y.to(out.dtype))
