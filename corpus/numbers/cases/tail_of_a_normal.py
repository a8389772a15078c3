"""The log of a normal's tail, log(0.5 * erfc(x / sqrt 2)), in float32 for x of 15: erfc is 0, the logarithm infinite."""
import math

import torch


def log_tail(x):
    return torch.log(0.5 * torch.erfc(x / math.sqrt(2)))  # fault: underflow


x = torch.linspace(10.0, 16.0, 50)
tail = log_tail(x)


def harm():
    return 1 - tail.isfinite().float().mean().item()

# right:
#-     return torch.log(0.5 * torch.erfc(x / math.sqrt(2)))
#+     return torch.special.log_ndtr(-x)
