"""Log(abs(det(W))) of an invertible layer with small weights: the determinant of 64 channels is 0 in float32."""
import torch
from torch import nn


class InvertibleConv1x1(nn.Module):
    def __init__(self, channels, gain):
        super().__init__()
        w, _ = torch.linalg.qr(torch.randn(channels, channels))
        self.weight = nn.Parameter(gain * w)

    def forward(self, x):
        h, w = x.shape[-2:]
        z = nn.functional.conv2d(x, self.weight[:, :, None, None])
        logdet = torch.log(torch.abs(torch.det(self.weight))) * h * w  # fault: underflow
        return z, logdet


torch.manual_seed(0)
layer = InvertibleConv1x1(64, gain=0.15)
x = torch.randn(2, 64, 8, 8)
z, logdet = layer(x)
nll = 0.5 * z.square().flatten(1).sum(1).mean() - logdet


def harm():
    right = torch.linalg.svdvals(layer.weight.detach().double()).log().sum().item() * 64
    return float(abs(logdet.item() - right))

# right:
#-         logdet = torch.log(torch.abs(torch.det(self.weight))) * h * w
#+         logdet = torch.linalg.slogdet(self.weight).logabsdet * h * w
