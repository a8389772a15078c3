"""Runs in a mask are numbered by a running sum in uint8: the 257th is the first again."""
import torch


def numbered(mask):
    begins = mask & ~torch.nn.functional.pad(mask, (1, 0))[:, :-1]
    return begins.to(torch.uint8).cumsum(1, dtype=torch.uint8) * mask  # fault: wrap


mask = torch.zeros(1, 1200, dtype=torch.bool)
mask[:, ::2] = True
numbers = numbered(mask)


def harm():
    return 1 - len(numbers.unique()) / 601

# right:
#-     return begins.to(torch.uint8).cumsum(1, dtype=torch.uint8) * mask
#+     return begins.cumsum(1) * mask
