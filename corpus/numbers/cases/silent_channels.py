"""An autoencoder's norm by F.normalize over channels in float16: where a place is black its eps is 0, and 0 / 0."""
import torch
import torch.nn.functional as F
from torch import nn


class ChannelNorm(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.gain = nn.Parameter(torch.ones(channels, 1, 1))

    def forward(self, x):
        scaled = F.normalize(x, dim=1)  # fault: eps-vanishes
        return scaled * x.shape[1] ** 0.5 * self.gain


torch.manual_seed(0)
picture = torch.randn(1, 4, 6, 6)
picture[:, :, 2:4] = 0.0
norm = ChannelNorm(4).half().requires_grad_(False)
out = norm(picture.half())


def harm():
    return 1 - out.isfinite().float().mean().item()

# right:
#- norm = ChannelNorm(4).half().requires_grad_(False)
#- out = norm(picture.half())
#+ norm = ChannelNorm(4).requires_grad_(False)
#+ out = norm(picture).half()
