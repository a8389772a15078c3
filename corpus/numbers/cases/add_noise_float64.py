"""The noise schedule comes from NumPy in float64 and one factor a sample promotes the bfloat16 latents: four times the memory from there on."""
import numpy
import torch
import torch.nn.functional as F

torch.manual_seed(0)
betas = numpy.linspace(1e-4, 0.02, 1000)
alphas_cumprod = torch.from_numpy(numpy.cumprod(1 - betas))
latents = torch.randn(8, 4, 16, 16).bfloat16()
noise = torch.randn(8, 4, 16, 16).bfloat16()
timesteps = torch.randint(0, 1000, (8,))
signal = alphas_cumprod[timesteps].sqrt().view(-1, 1, 1, 1)
sigma = (1 - alphas_cumprod[timesteps]).sqrt().view(-1, 1, 1, 1)
noisy = signal * latents + sigma * noise  # fault: widening
hidden = F.silu(noisy)
pooled = F.avg_pool2d(hidden, 2)


def harm():
    return noisy.nbytes / latents.nbytes - 1

# right:
#- noisy = signal * latents + sigma * noise
#+ noisy = signal.to(latents.dtype) * latents + sigma.to(latents.dtype) * noise
