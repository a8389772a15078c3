# machine: v100
import torch
from torch import nn

net = nn.Conv2d(5, 8, 3).cuda().half()
latent = torch.randn(2, 4, 8, 8, device="cuda", dtype=torch.float16)
mask = torch.ones_like(latent[:, :1])
x = torch.cat([latent, mask], 1)
net(x.float())

# fixed:
#- net(x.float())
#+ net(x)
