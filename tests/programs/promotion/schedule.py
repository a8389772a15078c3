# machine: v100
# real: cpu
# alphas_cumprod is float32 and one-dimensional: an indexed element broadcast over the latent promotes it.
import torch
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"
betas = torch.linspace(0.0001, 0.02, 1000, device=dev)  # origin
# fixed: betas = torch.linspace(0.0001, 0.02, 1000, device=dev).half()
alphas = torch.cumprod(1 - betas, 0)
vae = nn.Conv2d(4, 3, 1).to(dev).half()
latent = torch.randn(2, 4, 8, 8, device=dev).half()
noise = torch.randn_like(latent)
t = torch.tensor([10, 500], device=dev)
a = alphas[t].view(-1, 1, 1, 1)
noisy = a.sqrt() * latent + (1 - a).sqrt() * noise  # origin
vae(noisy)  # finding: operand-dtype-mismatch conv2d input
