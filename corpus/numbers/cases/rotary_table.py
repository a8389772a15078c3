"""A rotary table whose frequencies and positions are bfloat16: far positions turn by a wrong angle."""
import torch


def rotary(length, size, dtype):
    frequencies = 1.0 / 10000 ** (torch.arange(0, size, 2).float() / size)
    places = torch.arange(length)
    turns = torch.outer(places.to(dtype), frequencies.to(dtype))  # fault: angle-in-half
    return turns.cos().to(dtype), turns.sin().to(dtype)


cosine, sine = rotary(3000, 64, torch.bfloat16)


def harm():
    frequencies = 1.0 / 10000 ** (torch.arange(0, 64, 2).double() / 64)
    exact = torch.outer(torch.arange(3000).double(), frequencies)
    return (cosine.double() - exact.cos()).abs().max().item()

# right:
#-     turns = torch.outer(places.to(dtype), frequencies.to(dtype))
#+     turns = torch.outer(places.float(), frequencies)
