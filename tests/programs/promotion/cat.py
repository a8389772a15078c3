# machine: v100
# real: cpu
import torch
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"
unet = nn.Conv2d(9, 4, 3, padding=1).to(dev).half()
latent = torch.randn(1, 4, 8, 8, device=dev, dtype=torch.float16)
mask = torch.ones(1, 1, 8, 8, device=dev)  # origin
# fixed: mask = torch.ones(1, 1, 8, 8, device=dev, dtype=latent.dtype)
masked = latent * (1 - mask) if False else latent
x = torch.cat([latent, mask, masked], dim=1)  # origin
x = x * 0.18215
x = x + 0.1 * torch.randn_like(x)
unet(x)  # finding: operand-dtype-mismatch conv2d input
