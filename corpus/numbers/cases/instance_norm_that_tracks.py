"""An InstanceNorm that tracks statistics with momentum 0.001 was cast to float16 with its generator."""
import torch
from torch import nn


class Stem(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1, bias=False)
        self.norm = nn.InstanceNorm2d(8, momentum=0.0004, track_running_stats=True)

    def forward(self, x):
        return self.norm(self.conv(x)).relu()  # fault: statistics-in-half


torch.manual_seed(0)
stem = Stem().to(torch.float16)
for p in stem.parameters():
    p.requires_grad_(False)
for _ in range(40):
    out = stem(torch.randn(2, 3, 8, 8).to(stem.conv.weight.dtype))
with torch.no_grad():
    spread = stem.conv(torch.randn(64, 3, 8, 8).to(stem.conv.weight.dtype)).double().var((0, 2, 3))


def harm():
    f = 0.9996**40
    expected = f + (1 - f) * spread
    moved = (stem.norm.running_var.double() - 1) / (expected - 1)
    return (moved - 1).abs().mean().item()

# right:
#- stem = Stem().to(torch.float16)
#+ stem = Stem()
