# machine: a100
# real: cpu
import torch
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"
model = nn.Linear(4, 4).to(dev, torch.bfloat16)
model(torch.randn(2, 4, device=dev, dtype=torch.bfloat16)).sum().backward()
for p in model.parameters():
    p.grad = p.grad.float()  # finding: gradient-dtype-mismatch Tensor.grad grad
    # fixed:     p.grad = p.grad.float().to(p.dtype)
