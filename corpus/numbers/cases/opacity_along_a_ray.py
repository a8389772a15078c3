"""Volume rendering marches front to back with the colour and opacity so far in bfloat16, 800 thin samples a ray."""
import torch


def march(density, colour, delta, dtype):
    rays, samples = density.shape
    opacity = torch.zeros(rays, dtype=dtype)
    seen = torch.zeros(rays, 3, dtype=dtype)
    for i in range(samples):
        alpha = -torch.expm1(-density[:, i] * delta)
        share = alpha * (1 - opacity.float())
        seen = seen + (share[:, None] * colour[:, i]).to(dtype)
        opacity = opacity + share.to(dtype)  # fault: accumulate-in-half
    return seen, opacity


torch.manual_seed(0)
density = torch.rand(16, 800) * 0.6
colour = torch.rand(16, 800, 3)
picture, opacity = march(density, colour, 0.004, torch.bfloat16)


def harm():
    exact = 1 - torch.exp(-(density.double() * 0.004).sum(1))
    return (opacity.double() / exact - 1).abs().mean().item()

# right:
#- picture, opacity = march(density, colour, 0.004, torch.bfloat16)
#+ picture, opacity = march(density, colour, 0.004, torch.float32)
