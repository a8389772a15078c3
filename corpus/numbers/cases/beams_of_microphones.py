"""Steering vectors of a microphone array: 2 pi f times a delay, in the bfloat16 of the model, is up to 300 radians."""
import math

import torch


def steering(frequencies, places, direction, dtype):
    delays = places @ direction / 343.0
    angle = 2 * math.pi * frequencies.to(dtype)[:, None] * delays.to(dtype)  # fault: angle-in-half
    return torch.polar(torch.ones_like(angle, dtype=torch.float32), angle.float())


torch.manual_seed(0)
frequencies = torch.linspace(0, 8000, 257)
places = torch.rand(16, 3) * 3
direction = torch.nn.functional.normalize(torch.tensor([1.0, 0.5, 0.2]), dim=0)
source = torch.randn(257, 20, dtype=torch.complex64)
delays = (places.double() @ direction.double()) / 343.0
true = torch.exp(1j * 2 * math.pi * frequencies.double()[:, None] * delays)
heard = true.to(torch.complex64)[:, :, None] * source[:, None]
beam = torch.einsum("fm,fmt->ft", steering(frequencies, places, direction, torch.bfloat16).conj(), heard) / 16


def harm():
    return ((beam - source).abs().square().mean() / source.abs().square().mean()).sqrt().item()

# right:
#- beam = torch.einsum("fm,fmt->ft", steering(frequencies, places, direction, torch.bfloat16).conj(), heard) / 16
#+ beam = torch.einsum("fm,fmt->ft", steering(frequencies, places, direction, torch.float32).conj(), heard) / 16
