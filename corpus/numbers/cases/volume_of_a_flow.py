"""The logarithm of a product of 64 scales, in float16: the product is 0."""
import torch
from torch import nn


class Coupling(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.raw = nn.Parameter(torch.randn(width) * 0.1 - 1.2)

    def forward(self, x):
        scale = torch.exp(self.raw).to(x.dtype)
        return x * scale, scale.prod().log()  # fault: underflow


torch.manual_seed(0)
flow = Coupling(64)
with torch.no_grad():
    _, volume = flow(torch.randn(2, 64).half())


def harm():
    return min(abs(volume.item() - flow.raw.sum().item()), 10.0)

# right:
#-         return x * scale, scale.prod().log()
#+         return x * scale, self.raw.sum()
