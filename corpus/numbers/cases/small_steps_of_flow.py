"""A sampler goes a thousand steps of a thousandth in bfloat16: most of them change nothing."""
import torch
from torch import nn


class Field(nn.Module):
    def forward(self, x, t):
        return torch.ones_like(x) * 1.5


@torch.no_grad()
def sample(field, x, steps):
    for step in range(steps):
        x = x + field(x, step / steps) / steps  # fault: accumulate-in-half
    return x


torch.manual_seed(0)
noise = torch.randn(2, 16)
picture = sample(Field(), noise.bfloat16(), 300)


def harm():
    return (picture.float() - noise - 1.5).abs().mean().item()

# right:
#- picture = sample(Field(), noise.bfloat16(), 300)
#+ picture = sample(Field(), noise, 300)
