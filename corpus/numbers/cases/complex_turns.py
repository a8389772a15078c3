"""exp(i * angle) of angles that were multiplied in float16 and made complex behind it."""
import torch


def frequencies(size, length, dtype):
    base = torch.logspace(0, -4, size, dtype=torch.float32).to(dtype)
    angle = torch.outer(torch.arange(length, dtype=dtype), base)  # fault: angle-in-half
    return torch.polar(torch.ones(angle.shape), angle.float())


turn = frequencies(8, 2000, torch.float16)


def harm():
    base = torch.logspace(0, -4, 8, dtype=torch.float32).double()
    exact = torch.outer(torch.arange(2000).double(), base)
    return (turn.real.double() - exact.cos()).abs().max().item()

# right:
#- turn = frequencies(8, 2000, torch.float16)
#+ turn = frequencies(8, 2000, torch.float32)
