# machine: v100
# Half weights and float32 input under autocast: silent, unless --strict.
import torch
from torch import nn

unet = nn.Conv2d(4, 4, 3, padding=1).cuda().half()
with torch.autocast("cuda", dtype=torch.float16):
    unet(torch.randn(1, 4, 8, 8, device="cuda"))
