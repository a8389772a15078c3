"""A batch norm by hand in bfloat16 on inputs near 200: x - mean has lost most of what differs before it is divided."""
import torch
from torch import nn


class OwnBatchNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(width))

    def forward(self, x):
        mean = x.mean(0)
        centred = x - mean  # fault: cancellation
        return centred * torch.rsqrt(centred.float().square().mean(0) + 1e-5) * self.gain


def readings(scale):
    return (torch.rand(64, 4) * 2 - 1) * scale + 200 * scale * 4


torch.manual_seed(0)
data = readings(0.25)
norm = OwnBatchNorm(4).requires_grad_(False)
hidden = data.mul(1.0).bfloat16()
out = norm(hidden)


def harm():
    wide = data.double()
    exact = (wide - wide.mean(0)) / wide.var(0, correction=0).sqrt()
    return ((out.double() - exact).norm() / exact.norm()).item()

# right:
#- hidden = data.mul(1.0).bfloat16()
#+ hidden = data.mul(1.0)
