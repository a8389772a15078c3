"""The high byte of a number is shifted by 8 while it is a uint8: it is gone."""
import torch

torch.manual_seed(0)
high = torch.randint(0, 256, (1000,), dtype=torch.uint8)
low = torch.randint(0, 256, (1000,), dtype=torch.uint8)
number = (high << 8) + low  # fault: wrap


def harm():
    return (number != high.long() * 256 + low).float().mean().item()

# right:
#- number = (high << 8) + low
#+ number = (high.int() << 8) + low
