"""The gaps between events are taken of nanoseconds since 1970 in float64, whose neighbours are 256 apart there."""
import torch

torch.manual_seed(0)
gaps = torch.randint(200, 900, (400,))
times = 1_700_000_000_000_000_000 + gaps.cumsum(0)
clock = times.double()
waited = clock[1:] - clock[:-1]  # fault: rounding-of-integers
rate = 1e9 / waited.clamp(min=1).mean()


def harm():
    return ((waited - gaps[1:]).abs() / gaps[1:]).mean().item()

# right:
#- waited = clock[1:] - clock[:-1]
#+ waited = (times[1:] - times[:-1]).double()
