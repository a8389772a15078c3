"""A flow pipeline expands its timestep in the latents' bfloat16 and divides by 1000 afterwards: 750 is 752 there."""
import torch

torch.manual_seed(0)
latents = torch.randn(2, 16, 8).bfloat16()
schedule = torch.linspace(999, 1, 40)


def sigma(t, latents):
    t = t.expand(latents.shape[0]).to(latents.dtype)  # fault: rounding-of-integers
    return t.float() / 1000 * 1000


seen = torch.stack([sigma(t, latents)[0] for t in schedule])


def harm():
    return (seen - schedule).abs().max().item()

# right:
#-     t = t.expand(latents.shape[0]).to(latents.dtype)
#+     t = t.expand(latents.shape[0])
