# machine: v100
# strict
# What follows a tensor that autocast made float32 would follow it without autocast too.
import torch
from torch import nn

layer = nn.Linear(4, 4).cuda().half()
latent = torch.rand(2, 4, device="cuda", dtype=torch.float16)
with torch.autocast("cuda", dtype=torch.float16):
    noisy = latent**0.5
    layer(torch.ones(2, 4, device="cuda").to(noisy.dtype))
    layer(torch.ones(2, 4, device="cuda", dtype=noisy.dtype))
    layer(torch.tensor(2.0, device="cuda") * noisy)
