"""A sampler divides by sqrt(alpha_bar) of its last timestep, 4e-9, in float16: it is 0 and the picture infinite."""
import torch


class Sampler:
    def __init__(self, steps=50, dtype=torch.float16):
        betas = torch.linspace(0.01, 0.56, steps, dtype=torch.float64)
        self.alphas_bar = torch.cumprod(1 - betas, 0).to(dtype)

    def predict_x0(self, x, eps, t):
        a = self.alphas_bar[t]
        return (x - (1 - a).sqrt() * eps) / a.sqrt()  # fault: underflow


torch.manual_seed(0)
dtype = torch.float16
x0, noise = torch.randn(2, 4, 8, 8), torch.randn(2, 4, 8, 8)
sampler = Sampler(dtype=dtype)
out = sampler.predict_x0(noise.to(dtype), noise.to(dtype) * 0.9, 49).clamp(-4, 4)


def harm():
    return (~out.isfinite()).float().mean().item() + float(sampler.alphas_bar[49] == 0)

# right:
#- dtype = torch.float16
#+ dtype = torch.float32
