"""A compressor follows the level of a float16 recording with a slow one pole filter whose level was cast with it."""
import torch
from torch import nn


class Compressor(nn.Module):
    def __init__(self, channels, rate=2e-4):
        super().__init__()
        self.rate = rate
        self.register_buffer("level", torch.zeros(channels))

    def forward(self, block):
        for sample in block.abs().unbind(-1):
            self.level += self.rate * (sample - self.level)  # fault: state-in-half
        return block / (0.5 + self.level[:, None].to(block.dtype))


torch.manual_seed(0)
sound = (0.6 * torch.sin(torch.arange(12000) * 0.21)).repeat(2, 1).half()
compressor = Compressor(2).half()
for block in sound.split(4000, dim=-1):
    compressor(block)


def harm():
    level = 0.0
    for sample in sound[0].double().abs().tolist():
        level += 2e-4 * (sample - level)
    return abs(compressor.level[0].item() / level - 1)

# right:
#- compressor = Compressor(2).half()
#+ compressor = Compressor(2)
