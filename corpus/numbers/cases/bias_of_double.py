"""A slope per head from math in NumPy is float64, and widens the float32 scores of all heads."""
import numpy as np
import torch
from torch import nn


class Slopes(nn.Module):
    def __init__(self, heads):
        super().__init__()
        self.register_buffer("slope", torch.tensor(np.exp2(-8.0 * np.arange(1, heads + 1) / heads)).view(heads, 1, 1))

    def forward(self, scores):
        length = scores.shape[-1]
        place = torch.arange(length)
        return scores - self.slope * (place[:, None] - place).abs()  # fault: widening


torch.manual_seed(0)
scores = torch.randn(2, 4, 48, 48)
biased = Slopes(4)(scores)


def harm():
    return biased.nbytes / scores.nbytes - 1

# right:
#- biased = Slopes(4)(scores)
#+ biased = Slopes(4).float()(scores)
