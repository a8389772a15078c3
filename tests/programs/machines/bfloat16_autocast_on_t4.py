# machine: t4
import torch
from torch import nn

model = nn.Linear(8, 8).cuda()
with torch.autocast("cuda", dtype=torch.bfloat16):
    out = model(torch.ones(1, 8, device="cuda"))  # finding: dtype-not-on-machine linear
