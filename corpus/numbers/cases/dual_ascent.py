"""A log barrier, -log(1 - x / bound), in float16 for what is near its bound: it is infinite."""
import torch
from torch import nn


class Barrier(nn.Module):
    def __init__(self, bound):
        super().__init__()
        self.bound = bound

    def forward(self, x):
        return -torch.log1p(-x / self.bound).mean()  # fault: cancellation


torch.manual_seed(0)
x = 2.0 - torch.rand(50) * 1e-4 - 1e-5
barrier = Barrier(2.0)
value = barrier(x.half())


def harm():
    exact = barrier(x.double()).item()
    return min(1.0, abs(value.item() / exact - 1)) if value.isfinite() else 1.0

# right:
#- value = barrier(x.half())
#+ value = barrier(x.double())
