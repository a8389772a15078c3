"""Nearest codes by |x|^2 - 2 x.c + |c|^2 in float32 for features far from 0: the distances are rounding."""
import torch
from torch import nn


class Codebook(nn.Module):
    def __init__(self, codes):
        super().__init__()
        self.register_buffer("codes", codes)

    def distances(self, x):
        cross = x @ self.codes.T
        return x.pow(2).sum(1, keepdim=True) - 2 * cross + self.codes.pow(2).sum(1)  # fault: cancellation

    def forward(self, x):
        return self.distances(x).argmin(1)


torch.manual_seed(0)
codes = torch.randn(64, 16) * 0.05 + 300
x = codes[torch.randint(0, 64, (256,))] + torch.randn(256, 16) * 0.02
book = Codebook(codes)
found = book(x)


def harm():
    exact = torch.cdist(x.double(), codes.double(), compute_mode="donot_use_mm_for_euclid_dist").argmin(1)
    return (found != exact).float().mean().item()

# right:
#- found = book(x)
#+ found = book.double()(x.double())
