"""Seconds of a day as a float16 feature: of 86,400 the late ones are infinite."""
import torch
from torch import nn


class Clock(nn.Module):
    def __init__(self):
        super().__init__()
        self.mix = nn.Linear(1, 4)

    def forward(self, seconds):
        return self.mix(seconds[:, None] / 86400)


torch.manual_seed(0)
clock = Clock().half().requires_grad_(False)
seconds = torch.arange(0, 86400, 600)
out = clock(seconds.to(clock.mix.weight.dtype))  # fault: overflow


def harm():
    return 1 - out.isfinite().float().mean().item()

# right:
#-         return self.mix(seconds[:, None] / 86400)
#+         return self.mix((seconds[:, None] / 86400).to(self.mix.weight.dtype))
#- out = clock(seconds.to(clock.mix.weight.dtype))
#+ out = clock(seconds)
