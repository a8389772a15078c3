"""A float32 mask of one channel multiplies bfloat16 features, broadcast over channels: all that follows is float32."""
import torch
from torch import nn

torch.manual_seed(0)
block = nn.Sequential(nn.SiLU(), nn.Hardswish())
features = torch.randn(2, 32, 8, 8).bfloat16()
mask = (torch.rand(2, 1, 8, 8) > 0.2).float()
out = block(features * mask)  # fault: widening


def harm():
    return out.element_size() / 2 - 1

# right:
#- mask = (torch.rand(2, 1, 8, 8) > 0.2).float()
#+ mask = (torch.rand(2, 1, 8, 8) > 0.2).to(features.dtype)
