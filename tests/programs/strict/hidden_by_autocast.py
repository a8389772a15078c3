# machine: v100
# strict
import torch
from torch import nn

unet = nn.Conv2d(4, 4, 3, padding=1).cuda().half()
latent = torch.randn(1, 4, 8, 8, device="cuda")  # origin
# fixed: latent = torch.randn(1, 4, 8, 8, device="cuda", dtype=unet.weight.dtype)
with torch.autocast("cuda", dtype=torch.float16):
    unet(latent)  # finding: autocast-hides-mismatch conv2d input
