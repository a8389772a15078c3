# machine: a100
# real: cpu
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

dev = "cuda" if torch.cuda.is_available() else "cpu"
block = nn.Sequential(nn.Linear(8, 8), nn.ReLU()).to(dev, torch.bfloat16)
x = torch.randn(2, 8, device=dev, requires_grad=True)
# fixed: x = torch.randn(2, 8, device=dev, dtype=torch.bfloat16, requires_grad=True)
y = checkpoint(block, x, use_reentrant=False)  # finding: operand-dtype-mismatch linear input
y.sum().backward()  # consequence: operand-dtype-mismatch linear input
