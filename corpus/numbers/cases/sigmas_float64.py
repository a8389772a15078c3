"""The noise levels come from NumPy as float64 and lift the noisy latents of a batch to float64."""
import numpy as np
import torch


class Scheduler:
    def __init__(self, steps=1000):
        betas = np.linspace(0.00085 ** 0.5, 0.012 ** 0.5, steps) ** 2
        kept = np.cumprod(1.0 - betas)
        self.sigmas = torch.from_numpy(np.sqrt((1.0 - kept) / kept))  # fault: widening

    def add_noise(self, latents, noise, timesteps):
        sigma = self.sigmas[timesteps].view(-1, 1, 1, 1)
        return latents + noise * sigma


torch.manual_seed(0)
scheduler = Scheduler()
latents = torch.randn(8, 4, 64, 64)
noise = torch.randn_like(latents)
timesteps = torch.randint(0, 1000, (8,))
noisy = scheduler.add_noise(latents, noise, timesteps)


def harm():
    size, right = noisy.nbytes, latents.nbytes
    return float(size / right - 1)

# right:
#-         self.sigmas = torch.from_numpy(np.sqrt((1.0 - kept) / kept))
#+         self.sigmas = torch.from_numpy(np.sqrt((1.0 - kept) / kept).astype(np.float32))
