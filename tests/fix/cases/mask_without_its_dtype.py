# machine: v100
import torch
from torch import nn

net = nn.Conv2d(5, 8, 3).cuda().half()
latent = torch.randn(2, 4, 8, 8, device="cuda", dtype=torch.float16)
mask = torch.ones(2, 1, 8, 8, device="cuda")  # all of it
net(torch.cat([latent, mask], 1))

# fixed:
#- mask = torch.ones(2, 1, 8, 8, device="cuda")  # all of it
#+ mask = torch.ones(2, 1, 8, 8, device="cuda", dtype=latent.dtype)  # all of it
