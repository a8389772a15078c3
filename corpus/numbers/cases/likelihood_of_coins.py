"""The likelihood of 60 throws as a product in float16 is 0, and so is the posterior's norm."""
import torch

torch.manual_seed(0)
throws = torch.rand(60) < 0.7
grid = torch.linspace(0.05, 0.95, 19)
cast = torch.Tensor.half
p = cast(grid)[:, None]
likelihood = torch.where(throws, p, 1 - p).prod(1)  # fault: underflow
posterior = likelihood / likelihood.sum()


def harm():
    return posterior.isnan().float().mean().item()

# right:
#- cast = torch.Tensor.half
#+ cast = torch.Tensor.double
