"""Row numbers of an image's tokens from cumsum of ones like the bfloat16 features, as detection transformers make them."""
import torch
from torch import nn


class Rows(nn.Module):
    def __init__(self, scale=6.283):
        super().__init__()
        self.scale = scale

    def forward(self, features):
        rows = torch.ones_like(features[:, 0]).cumsum(1)  # fault: rounding-of-integers
        return rows / rows[:, -1:] * self.scale


features = torch.zeros(1, 4, 700, 3, dtype=torch.bfloat16)
rows = Rows()(features)


def harm():
    exact = torch.arange(1, 701).double() / 700 * 6.283
    return (rows[0, :, 0].double() - exact).abs().max().item()

# right:
#-         rows = torch.ones_like(features[:, 0]).cumsum(1)
#+         rows = torch.ones_like(features[:, 0], dtype=torch.float32).cumsum(1)
