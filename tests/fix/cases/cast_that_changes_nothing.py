# machine: a100
import torch

betas = torch.linspace(0.1, 0.2, 10)
latent = torch.zeros(2, 4, dtype=torch.float16)
noise = torch.randn(2, 4)
noisy = latent.to(dtype=betas.dtype) * betas[3] + noise.to(dtype=betas.dtype)
noisy = noisy.to(dtype=latent.dtype)
noise[[0, 1]] = noisy[[0, 1]]

# fixed:
#- noise = torch.randn(2, 4)
#+ noise = torch.randn(2, 4, dtype=latent.dtype)
