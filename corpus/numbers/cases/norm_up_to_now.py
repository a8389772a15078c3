"""Conv-TasNet's cumulative layer norm takes mean and power of all frames up to now by cumsum, in bfloat16."""
import torch
from torch import nn


class CumulativeLayerNorm(nn.Module):
    def __init__(self, channels, eps=1e-5):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(1, channels, 1))
        self.eps = eps

    def forward(self, x):  # (batch, channels, frames)
        dtype = x.dtype
        count = x.shape[1] * torch.arange(1, x.shape[2] + 1, device=x.device)
        mean = x.sum(1).cumsum(-1) / count
        power = x.square().sum(1).cumsum(-1) / count  # fault: statistics-in-half
        spread = (power - mean.square()).clamp_min(0) + self.eps
        return ((x - mean[:, None]) * spread.rsqrt()[:, None] * self.gain).to(dtype)


torch.manual_seed(0)
x = (3 + 0.5 * torch.randn(2, 32, 400)).bfloat16()
norm = CumulativeLayerNorm(32).bfloat16()
with torch.no_grad():
    out = norm(x)


def harm():
    exact = CumulativeLayerNorm(32).double()(x.double())
    return ((out.double() - exact).square().mean() / exact.square().mean()).sqrt().item()

# right:
#-         dtype = x.dtype
#+         dtype, x = x.dtype, x.float()
