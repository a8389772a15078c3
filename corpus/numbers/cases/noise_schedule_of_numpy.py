"""A schedule of numbers from NumPy is float64, and so are the pictures that it is multiplied with."""
import numpy
import torch

torch.manual_seed(0)
alphas = torch.from_numpy(numpy.cumprod(1 - numpy.linspace(1e-4, 0.02, 1000)))
pictures = torch.randn(4, 3, 16, 16)
steps = torch.tensor([3, 500, 20, 900])
noisy = alphas[steps].sqrt().view(-1, 1, 1, 1) * pictures  # fault: widening


def harm():
    return noisy.nbytes / pictures.nbytes - 1

# right:
#- alphas = torch.from_numpy(numpy.cumprod(1 - numpy.linspace(1e-4, 0.02, 1000)))
#+ alphas = torch.from_numpy(numpy.cumprod(1 - numpy.linspace(1e-4, 0.02, 1000))).float()
