"""A float32 table is added to bfloat16 features: what follows takes twice the memory."""
import math

import torch

torch.manual_seed(0)
hidden = torch.randn(2, 32, 16).bfloat16()
angles = torch.arange(32)[:, None] * torch.exp(-math.log(10000) * torch.arange(0, 16, 2) / 16)
table = torch.cat([angles.sin(), angles.cos()], -1)
hidden = hidden + table  # fault: widening
output = torch.nn.functional.gelu(hidden)


def harm():
    return float(output.element_size() == 4)

# right:
#- hidden = hidden + table
#+ hidden = hidden + table.to(hidden.dtype)
