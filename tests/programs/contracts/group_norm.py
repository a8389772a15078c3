# machine: v100
import torch
from torch import nn

norm = nn.GroupNorm(4, 16).cuda()
# fixed: norm = nn.GroupNorm(4, 16).cuda().half()
x = torch.randn(2, 16, 4, 4, device="cuda", dtype=torch.float16)
y = norm(x)  # finding: operand-dtype-mismatch group_norm weight
