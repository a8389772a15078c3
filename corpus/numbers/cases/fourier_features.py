"""Fourier features of coordinates in float16: at the tenth octave the phase is lost."""
import math

import torch

torch.manual_seed(0)
points = torch.rand(500, 2)
octaves = 2.0 ** torch.arange(10)
phases = (points.half()[..., None] * (octaves * math.pi).half())  # fault: angle-in-half
features = phases.sin().flatten(1)


def harm():
    exact = (points.double()[..., None] * (octaves.double() * math.pi)).sin().flatten(1)
    return (features.double() - exact).abs().max().item()

# right:
#- phases = (points.half()[..., None] * (octaves * math.pi).half())
#+ phases = points[..., None] * (octaves * math.pi)
