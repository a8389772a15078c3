"""A number of the program's that its dtype takes for another one."""

from __future__ import annotations

import torch

from .loss import HALF, PRECISION, Lost, short

SMALLEST = 2.0**-25
"""Half of float16's smallest number above 0: what is less is rounded to 0."""
_TINY = 1e-20


def is_one(number: float, dtype: torch.dtype) -> bool:
    """Check whether a half dtype takes a number beside 1 for 1."""
    return dtype in HALF and 0 < abs(1 - number) < 2.0 ** -(PRECISION[dtype] + 1)


def rounded(number: object, dtype: torch.dtype) -> Lost | None:
    """Return one that is taken for 0, or for 1 although it is next to it: a decay, a factor, a share."""
    if not isinstance(number, float) or dtype not in HALF:
        return None
    near = is_one(number, dtype)
    gone = dtype is torch.float16 and _TINY < abs(number) < SMALLEST
    if not near and not gone:
        return None
    return Lost(
        rule="constant-vanishes",
        form="factor",
        figures=f"{number:.8g} is {1 if near else 0} in {short(dtype)}",
    )
