"""Rotary angles are made in the dtype of a buffer that the model's cast has changed."""
import torch
from torch import nn


class Rotary(nn.Module):
    def __init__(self, width):
        super().__init__()
        speeds = 1.0 / 10000 ** (torch.arange(0, width, 2).float() / width)
        self.register_buffer("speeds", speeds, persistent=False)

    def forward(self, x):
        places = torch.arange(x.shape[1], dtype=self.speeds.dtype)  # fault: angle-in-half
        angles = torch.outer(places, self.speeds)
        cos, sin = angles.cos().repeat_interleave(2, -1), angles.sin().repeat_interleave(2, -1)
        turned = torch.stack((-x[..., 1::2], x[..., ::2]), -1).flatten(-2)
        return x * cos.to(x.dtype) + turned * sin.to(x.dtype)


torch.manual_seed(0)
x = torch.randn(1, 600, 32)
rotary = Rotary(32)
exact = rotary.double()(x.double())
rotary = Rotary(32)
rotary.bfloat16()
turned = rotary(x.bfloat16())


def harm():
    return (turned.double() - exact).abs().mean().item()

# right:
#- rotary.bfloat16()
#- turned = rotary(x.bfloat16())
#+ turned = rotary(x.bfloat16())
