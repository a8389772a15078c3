# machine: v100
# strict
# The norm gives float32 only under autocast; the cast would make it so without.
import torch
from torch import nn

norm, layer = nn.LayerNorm(4).cuda().half(), nn.Linear(4, 4).cuda().half()
x = torch.rand(2, 4, device="cuda", dtype=torch.float16)
with torch.autocast("cuda", dtype=torch.float16):
    layer(norm(x))
    layer(norm(x).float())  # finding: autocast-hides-mismatch linear input # origin
    # fixed: layer(norm(x))
