"""An envelope follower of a half signal keeps its level in half: near the level, a thousandth of the way rounds away."""
import torch
from torch import nn


class Envelope(nn.Module):
    def __init__(self, channels, release=0.999):
        super().__init__()
        self.release = release
        self.register_buffer("level", torch.zeros(channels))

    def forward(self, block):
        for frame in block.abs().unbind(-1):
            self.level.mul_(self.release).add_(frame, alpha=1 - self.release)  # fault: state-in-half
        return self.level


torch.manual_seed(0)
signal = torch.randn(8, 4000, dtype=torch.float16)
follower = Envelope(8)
follower.half()
for block in signal.split(500, dim=-1):
    level = follower(block)
gain = (0.5 / level.float()).clamp(max=4.0)


def harm():
    exact = torch.zeros(8, dtype=torch.float64)
    for frame in signal.double().abs().unbind(-1):
        exact = 0.999 * exact + 0.001 * frame
    return (level.double() / exact - 1).abs().mean().item()

# right:
#- follower.half()
#+ follower.float()
