import torch
from torch import nn

net = nn.Conv2d(5, 8, kernel_size=3).cuda().half()
latent = torch.randn(2, 4, 8, 8, device="cuda", dtype=torch.float16)
mask = torch.ones(2, 1, 8, 8, device="cuda")
net(torch.cat([latent, mask], dim=1)).mean().backward()
