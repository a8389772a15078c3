# machine: v100
# A program that is prepared for the error takes the other way, as it would on the GPU.
import torch

points, weights = torch.rand(3, 4, device="cuda"), torch.ones(4, device="cuda")
try:
    spread = torch.cov(points, fweights=weights)
except RuntimeError:
    spread = torch.cov(points, aweights=weights)
assert spread.shape == (3, 3)
