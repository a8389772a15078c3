"""One number, in a tensor with a dimension, that makes a large tensor wider without a word."""

from __future__ import annotations

import math

import torch

from ..loss import HALF, Lost, short
from ..seen import Seen

OPS = frozenset(
    {
        "add",
        "sub",
        "mul",
        "div",
        "where",
        "addcmul",
        "maximum",
        "minimum",
        "pow",
        "rsub",
    }
)
WIDENS = True
_LARGE = 1 << 12


def find(seen: Seen) -> Lost | None:
    """A result that is wide because of an operand of one element."""
    dtype, out = seen.dtype, seen.tensor("out")
    if (
        dtype not in (torch.float32, torch.float64)
        or out is None
        or out.numel() < _LARGE
    ):
        return None
    operands = {
        name: one
        for name, one in seen.given.items()
        if isinstance(one, torch.Tensor) and one.is_floating_point()
    }
    narrow = [one for one in operands.values() if one.numel() > 1]
    single = [name for name, one in operands.items() if one.numel() == 1 and one.dim()]
    if not single or not narrow or any(one.dtype is dtype for one in narrow):
        return None
    width = max(one.dtype.itemsize for one in narrow)
    if dtype is torch.float32 and not all(one.dtype in HALF for one in narrow):
        return None
    more = math.prod(out.shape) * (dtype.itemsize - width)
    kept = short(narrow[0].dtype)
    return Lost(
        rule="widened-by-one-number",
        operand=single[0],
        wanted=kept,
        figures=f"{kept} of {_bytes(out.numel() * width)} becomes {short(dtype)}, {_bytes(more)} more, by a tensor "
        "of one element",
    )


def _bytes(count: int) -> str:
    return f"{count / 2**20:.1f} MiB" if count >= 2**20 else f"{count / 2**10:.0f} KiB"
