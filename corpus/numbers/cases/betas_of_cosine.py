"""A cosine schedule is made in the dtype of the model: the first betas are rounding."""
import math

import torch


class Diffusion:
    def __init__(self, steps, dtype, s=0.008):
        x = torch.linspace(0, steps, steps + 1).to(torch.float32)
        self.alphas_bar = (torch.cos((x / steps + s) / (1 + s) * math.pi / 2) ** 2).to(dtype)
        self.alphas_bar = self.alphas_bar / self.alphas_bar[0]
        self.betas = 1 - self.alphas_bar[1:] / self.alphas_bar[:-1]  # fault: cancellation
        self.betas = self.betas.clip(0, 0.999)

    def noise(self, x, t):
        return (1 - self.betas[t]).sqrt() * x + self.betas[t].sqrt() * torch.randn_like(x)


dtype = torch.float16
torch.manual_seed(0)
process = Diffusion(1000, dtype)
x = process.noise(torch.randn(4, 4, dtype=dtype), 10)


def harm():
    exact = Diffusion(1000, torch.float64).betas
    return ((process.betas.double() - exact) / exact)[:200].abs().mean().item()

# right:
#- dtype = torch.float16
#+ dtype = torch.float32
