"""Seconds since 1970 in int32, times 1000, wrap."""
import torch

seconds = torch.arange(1_700_000_000, 1_700_000_100, dtype=torch.int32)
milliseconds = seconds * 1000  # fault: wrap


def harm():
    return (milliseconds != seconds.long() * 1000).float().mean().item()

# right:
#- milliseconds = seconds * 1000
#+ milliseconds = seconds.long() * 1000
