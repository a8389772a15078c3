"""Rotary frequencies are cast to bfloat16 before the outer product with positions: far tokens turn wrongly."""
import torch


def rotary(dim, length, dtype):
    inverse = 1.0 / (10000 ** (torch.arange(0, dim, 2) / dim))
    place = torch.arange(length, dtype=dtype)
    turn = torch.outer(place, inverse.to(dtype))  # fault: angle-in-half
    return torch.polar(torch.ones_like(turn, dtype=torch.float32), turn.float())


def apply(x, turn):
    return torch.view_as_real(torch.view_as_complex(x.unflatten(-1, (-1, 2))) * turn).flatten(-2)


torch.manual_seed(0)
dtype = torch.bfloat16
q = torch.randn(2, 512, 32)
turned = apply(q, rotary(32, 512, dtype))


def harm():
    return ((turned - apply(q.double(), rotary(32, 512, torch.float64).to(torch.complex128))).abs().mean()).item()

# right:
#- dtype = torch.bfloat16
#+ dtype = torch.float32
