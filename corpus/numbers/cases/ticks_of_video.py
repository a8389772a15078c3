"""Presentation times of a 90 kHz clock after 20 hours as float32: ticks of 6e9 are multiples of 512."""
import torch

start = 72_000 * 90_000
pts = start + torch.arange(0, 300) * 100
clock = torch.as_tensor(pts, dtype=torch.float32)  # fault: rounding-of-integers
gaps = clock.diff()


def harm():
    return (gaps - 100).abs().max().item() / 100

# right:
#- clock = torch.as_tensor(pts, dtype=torch.float32)
#+ clock = torch.as_tensor(pts, dtype=torch.float64)
