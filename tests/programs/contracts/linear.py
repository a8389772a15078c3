# machine: v100
# real: cpu
import torch
from torch import nn

device = "cuda" if torch.cuda.is_available() else "cpu"
linear = nn.Linear(16, 4).to(device, torch.float16)
x = torch.randn(2, 16, device=device)  # origin
# fixed: x = torch.randn(2, 16, device=device, dtype=torch.float16)
y = linear(x)  # finding: operand-dtype-mismatch linear input
print(y.sum().item())
