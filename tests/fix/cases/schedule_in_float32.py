# machine: v100
import torch
from torch import nn

net = nn.Conv2d(4, 8, 3).cuda().half()
latent = torch.randn(2, 4, 8, 8, device="cuda", dtype=torch.float16)
betas = torch.linspace(1e-4, 0.02, 1000, device="cuda")
alpha = torch.cumprod(1 - betas, 0)[[3, 7]].view(-1, 1, 1, 1)
noisy = alpha * latent
net(noisy)

# fixed:
#- noisy = alpha * latent
#+ noisy = (alpha * latent).to(latent.dtype)
