"""A table of 4097 learned places is read between its rows: the coordinate is float16, so its fraction is gone."""
import torch
from torch import nn


class Between(nn.Module):
    def __init__(self, rows, width):
        super().__init__()
        self.table = nn.Parameter(torch.randn(rows, width), requires_grad=False)

    def forward(self, share):
        at = share * (len(self.table) - 1)
        low = at.floor()
        part = (at - low)[:, None]  # fault: cancellation
        low = low.long()
        return self.table[low] * (1 - part) + self.table[(low + 1).clamp(max=len(self.table) - 1)] * part


torch.manual_seed(0)
between = Between(4097, 8)
share = torch.rand(500)
read = between(share.half())


def harm():
    exact = between(share.double())
    return ((read.double() - exact).norm() / exact.norm()).item()

# right:
#- read = between(share.half())
#+ read = between(share)
