# machine: a100
# strict
import torch
from torch import nn

text = nn.Linear(8, 8).cuda().bfloat16()
unet = nn.Linear(8, 8).cuda()
# fixed: unet = nn.Linear(8, 8).cuda().bfloat16()
ids = torch.ones(1, 8, device="cuda", dtype=torch.bfloat16)
with torch.autocast("cuda", dtype=torch.bfloat16):
    unet(text(ids))  # finding: autocast-hides-mismatch linear weight
