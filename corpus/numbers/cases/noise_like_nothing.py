"""Noise of torch.randn without a dtype is added to bfloat16 latents: the sampler goes on in float32."""
import torch


def ancestral(latents, sigma, generator):
    noise = torch.randn(latents.shape, generator=generator)
    return latents + noise * sigma  # fault: widening


torch.manual_seed(0)
generator = torch.Generator().manual_seed(0)
latents = torch.randn(2, 4, 32, 32, generator=generator).bfloat16()
for sigma in (1.0, 0.5, 0.1):
    latents = ancestral(latents, sigma, generator)


def harm():
    return latents.nbytes / (2 * 4 * 32 * 32 * 2) - 1

# right:
#-     noise = torch.randn(latents.shape, generator=generator)
#+     noise = torch.randn(latents.shape, generator=generator).to(latents.dtype)
