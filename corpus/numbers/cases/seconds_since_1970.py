"""Seconds since 1970 in float32 are multiples of 128: gaps between events are wrong."""
import torch

stamps = torch.tensor([1_700_000_011, 1_700_000_042, 1_700_000_099])
events = stamps.float()  # fault: rounding-of-integers
gaps = events.diff()


def harm():
    return (gaps - stamps.diff()).abs().max().item()

# right:
#- events = stamps.float()
#+ events = stamps.double()
