"""Milliseconds of events as float32 features of a model of point processes: gaps are multiples of 131072."""
import torch
from torch import nn


class Gaps(nn.Module):
    def forward(self, stamps):
        times = stamps.to(torch.get_default_dtype())  # fault: rounding-of-integers
        return torch.diff(times, dim=-1) / 1000


stamps = 1_700_000_000_000 + torch.arange(50) * 1500 + torch.arange(50) ** 2 * 3
seconds = Gaps()(stamps)


def harm():
    exact = torch.diff(stamps).double() / 1000
    return ((seconds.double() - exact).abs() / exact).max().item()

# right:
#-         times = stamps.to(torch.get_default_dtype())
#+         times = (stamps - stamps[..., :1]).to(torch.get_default_dtype())
