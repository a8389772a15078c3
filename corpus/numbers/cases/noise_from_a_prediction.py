"""A sampler gets the noise back from a predicted picture, (x_t - a x_0) / s, in bfloat16 at its last steps."""
import torch


def predicted_noise(x_t, x_0, alpha_bar):
    a, s = alpha_bar.sqrt().to(x_t.dtype), (1 - alpha_bar).sqrt().to(x_t.dtype)
    return (x_t - a * x_0) / s  # fault: cancellation


torch.manual_seed(0)
betas = torch.linspace(1e-4, 0.02, 1000)
alpha_bar = torch.cumprod(1 - betas, 0)
x_0 = torch.randn(4, 3, 16, 16)
noise = torch.randn_like(x_0)
x_t = alpha_bar[1].sqrt() * x_0 + (1 - alpha_bar[1]).sqrt() * noise
found = predicted_noise(x_t.bfloat16(), x_0.bfloat16(), alpha_bar[1])


def harm():
    return ((found.float() - noise).norm() / noise.norm()).item()

# right:
#- found = predicted_noise(x_t.bfloat16(), x_0.bfloat16(), alpha_bar[1])
#+ found = predicted_noise(x_t, x_0, alpha_bar[1])
