"""A norm of the program's own adds 1e-8 to a float16 variance: a constant channel is divided by 0."""
import torch
from torch import nn


class ChannelNorm(nn.Module):
    def __init__(self, channels, eps=1e-8):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(channels, 1))
        self.eps = eps

    def forward(self, x):
        centred = x - x.mean(-1, keepdim=True)
        spread = centred.square().mean(-1, keepdim=True)
        return centred * torch.rsqrt(spread + self.eps) * self.gain.to(x.dtype)  # fault: eps-vanishes


torch.manual_seed(0)
x = torch.randn(2, 6, 32)
x[:, 2] = 1.0
with torch.no_grad():
    out = ChannelNorm(6)(x.half())


def harm():
    return out.isnan().float().mean().item()

# right:
#-     out = ChannelNorm(6)(x.half())
#+     out = ChannelNorm(6)(x)
