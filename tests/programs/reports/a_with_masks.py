# machine: v100
# The same program, when every image has its mask file: nothing fails.
import torch
from torch import nn

conv_in = nn.Conv2d(5, 8, 3, padding=1).cuda().half()
latent = torch.randn(2, 4, 8, 8, device="cuda", dtype=torch.float16)
masks = [torch.rand(1, 8, 8), None]
masks = [m if m is not None else torch.ones(1, 8, 8) for m in masks]
mask = torch.stack(masks).to(latent)
conv_in(torch.cat([latent, mask], 1))
