"""Opacity of thin samples along a ray, 1 - exp(-sigma * delta), in bfloat16: most of the fog is not there."""
import torch


def composite(sigma, rgb, delta):
    alpha = 1.0 - torch.exp(-sigma * delta)  # fault: cancellation
    trans = torch.cumprod(torch.cat([torch.ones_like(alpha[:, :1]), 1.0 - alpha[:, :-1]], -1), -1)
    weights = alpha * trans
    return (weights.unsqueeze(-1) * rgb).sum(1), weights.sum(-1)


torch.manual_seed(0)
rays, samples = 32, 64
sigma = torch.rand(rays, samples) * 0.3
rgb = torch.rand(rays, samples, 3)
depth = torch.linspace(2.0, 6.0, samples + 1)
delta = (depth[1:] - depth[:-1]).expand(rays, samples) * 0.1
image, opacity = composite(sigma.bfloat16(), rgb.bfloat16(), delta.bfloat16())


def harm():
    exact = composite(sigma.double(), rgb.double(), delta.double())[0]
    return ((image.double() - exact).norm() / exact.norm()).item()

# right:
#- image, opacity = composite(sigma.bfloat16(), rgb.bfloat16(), delta.bfloat16())
#+ image, opacity = composite(sigma, rgb, delta)
