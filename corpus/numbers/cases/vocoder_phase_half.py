"""The phase of a vocoder's sine source is a cumulative sum in float16: after a second it is hundreds of radians and its spacing half a radian."""
import math

import torch
from torch import nn

torch.manual_seed(0)
rate = 16000
seconds = torch.arange(rate) / rate
pitch = (140 + 30 * torch.sin(2 * math.pi * 3 * seconds)).half()
noise = torch.randn(rate).half()
phase = (2 * math.pi / rate * pitch).cumsum(0)  # fault: angle-in-half
source = torch.sin(phase).half() * 0.1 + noise * 0.003
filters = nn.Conv1d(1, 4, 9, padding=4).half()
with torch.no_grad():
    audio = filters(source[None, None])


def harm():
    right = torch.sin((2 * math.pi / rate * pitch.double()).cumsum(0)) * 0.1 + noise.double() * 0.003
    return ((source.double() - right).norm() / right.norm()).item()

# right:
#- phase = (2 * math.pi / rate * pitch).cumsum(0)
#+ phase = (2 * math.pi / rate * pitch.float()).cumsum(0)
