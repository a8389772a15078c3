"""The phase of an oscillator is summed up in float16: after a fifth of a second it is noise."""
import math

import torch

pitch = torch.full((8000,), 440.0)
step = 2 * math.pi * pitch / 16000
phase = torch.cumsum(step.half(), 0)  # fault: angle-in-half
wave = torch.sin(phase)


def harm():
    right = torch.sin(torch.cumsum(step.double(), 0))
    return (wave.double() - right).abs().mean().item()

# right:
#- phase = torch.cumsum(step.half(), 0)
#- wave = torch.sin(phase)
#+ phase = torch.cumsum(step.double(), 0)
#+ wave = torch.sin(phase).half()
