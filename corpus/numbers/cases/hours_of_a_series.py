"""A model of time series encodes the hour since the start, up to 20000, by sines in bfloat16."""
import math

import torch
from torch import nn


class Seasons(nn.Module):
    def __init__(self, periods):
        super().__init__()
        self.register_buffer("rate", 2 * math.pi / torch.tensor(periods))

    def forward(self, hours):
        turns = hours.unsqueeze(-1) * self.rate
        return torch.stack([turns.sin(), turns.cos()], -1)  # fault: angle-in-half


seasons = Seasons([24.0, 168.0, 8766.0])
hours = torch.arange(0, 20000, 7)
dtype = torch.bfloat16
features = seasons.to(dtype)(hours.to(dtype))


def harm():
    exact = (2 * math.pi / 24.0 * torch.arange(0, 20000, 7).double()).sin()
    return (features[:, 0, 0].double() - exact).abs().mean().item()

# right:
#- dtype = torch.bfloat16
#+ dtype = torch.float32
