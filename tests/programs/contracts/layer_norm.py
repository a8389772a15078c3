# machine: v100
import torch
from torch import nn

norm = nn.LayerNorm(16).cuda()
hidden = torch.randn(2, 16, device="cuda").half()
# fixed: hidden = torch.randn(2, 16, device="cuda")
out = norm(hidden)  # finding: operand-dtype-mismatch layer_norm weight
