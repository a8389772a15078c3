# machine: a100
# real: cpu
import torch
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"
a = torch.ones(2, 4, device=dev, dtype=torch.float16)
b = torch.ones(2, 4, device=dev, dtype=torch.bfloat16)
# fixed: b = torch.ones(2, 4, device=dev, dtype=torch.float16)
mixed = a + b
nn.Linear(4, 4).to(dev, torch.float16)(mixed)  # finding: operand-dtype-mismatch linear input
