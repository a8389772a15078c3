# machine: cpu
# real: cpu
# On the CPU half input with float32 weights is allowed, the reverse is not.
import torch
from torch import nn

norm = nn.LayerNorm(16)
norm(torch.randn(2, 16).bfloat16())
half = nn.LayerNorm(16).bfloat16()
# fixed: half = nn.LayerNorm(16)
half(torch.randn(2, 16))  # finding: operand-dtype-mismatch layer_norm input
