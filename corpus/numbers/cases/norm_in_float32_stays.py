"""A layer norm in float32 does not cast back, and the residual of a float16 model is float32 after the first block."""
import torch
from torch import nn


class Norm(nn.LayerNorm):
    def forward(self, x):
        return super().forward(x.float())


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = Norm(width)
        self.gain = nn.Parameter(torch.full((width,), 0.1))

    def forward(self, x):
        return x + self.gain * torch.tanh(self.norm(x))  # fault: widening


torch.manual_seed(0)
x = torch.randn(16, 64).half()
out = nn.Sequential(Block(64), Block(64))(x)


def harm():
    return out.element_size() / 2 - 1

# right:
#-         return x + self.gain * torch.tanh(self.norm(x))
#+         return x + (self.gain * torch.tanh(self.norm(x))).to(x.dtype)
