"""A feature normaliser keeps a running mean in bfloat16, with a momentum of 0.001."""
import torch
from torch import nn

torch.manual_seed(0)


class Normaliser(nn.Module):
    def __init__(self, width, momentum=0.001):
        super().__init__()
        self.register_buffer("mean", torch.ones(width))
        self.momentum = momentum

    def forward(self, x):
        self.mean += self.momentum * (x.mean(0) - self.mean)  # fault: statistics-in-half
        return x - self.mean


normaliser = Normaliser(8).to(torch.bfloat16)
for _ in range(300):
    x = (torch.randn(64, 8) + 1.5).to(normaliser.mean.dtype)
    normaliser(x)


def harm():
    exact = 1.5 - 0.5 * 0.999**300
    return abs(normaliser.mean.double().mean().item() - exact)

# right:
#- normaliser = Normaliser(8).to(torch.bfloat16)
#+ normaliser = Normaliser(8)
