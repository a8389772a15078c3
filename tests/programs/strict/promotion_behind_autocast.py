# machine: v100
# strict
# Autocast makes both factors float32; without it the second one would promote the first.
import torch
from torch import nn

layer = nn.Linear(4, 4).cuda().half()
x = torch.rand(2, 4, device="cuda", dtype=torch.float16)
alpha = torch.rand(2, 1, device="cuda")  # origin
# fixed: alpha = torch.rand(2, 1, device="cuda", dtype=x.dtype)
with torch.autocast("cuda", dtype=torch.float16):
    layer(x**0.5 * alpha)  # finding: autocast-hides-mismatch linear input # origin
