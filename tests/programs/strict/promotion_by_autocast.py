# machine: cpu
# strict
# Autocast widens the latent for `cat`, as the mask would without it.
import torch
from torch import nn

layer = nn.Linear(4, 4).half()
latent = torch.rand(2, 4, dtype=torch.float16)
mask = torch.rand(2, 4)  # origin
# fixed: mask = torch.rand(2, 4, dtype=latent.dtype)
with torch.autocast("cpu", dtype=torch.float16):
    sample = torch.cat([latent, mask])  # origin
    layer(torch.ones(2, 4).to(sample.dtype))  # finding: autocast-hides-mismatch linear input # origin
