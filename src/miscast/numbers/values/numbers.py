"""Limits of a dtype: unit of rounding, largest number, and the range of exact whole numbers."""

from __future__ import annotations

from functools import cache

import torch

from ..ranges.loss import HALF

NARROW = frozenset({torch.uint8, torch.int8, torch.int16, torch.int32})
"""Integers that wrap where a program may not expect it; what wraps in int64 is meant to."""
MEASURED = HALF | {torch.float32}
_TINY = 1e-300
_SQUARES = 1e-150
"""Below it squares are 0 in float64, too."""


@cache
def unit(dtype: torch.dtype) -> float:
    """Return the largest relative error of one rounding: 2^-8 for bfloat16, 2^-11 for float16."""
    return torch.finfo(dtype).eps / 2


@cache
def whole_until(dtype: torch.dtype) -> float:
    """Return the limit of exact whole numbers: 256 for bfloat16, 2048 for float16, 2^24 for float32."""
    return 2 / torch.finfo(dtype).eps


def is_whole(numbers: torch.Tensor) -> bool:
    """Check whether all of them are whole numbers; complex ones have no rounding."""
    return not numbers.is_complex() and bool((numbers == numbers.round()).all())


def distance(one: torch.Tensor, other: torch.Tensor) -> float:
    """Return |one - other| / |other|, in the 2-norm; if `other` is 0, return 0 or infinity."""
    apart = float(torch.linalg.vector_norm(one - other))
    if apart < _SQUARES and not torch.equal(one, other):
        most = float(torch.maximum((one - other).abs(), other.abs()).max())
        if most < _SQUARES:
            one, other = one / most, other / most
            apart = float(torch.linalg.vector_norm(one - other))
    if apart == 0:
        return 0.0
    size = float(torch.linalg.vector_norm(other))
    return apart / size if size > _TINY else float("inf")


def ulps(error: float, dtype: torch.dtype) -> float:
    """Return a relative error in units in the last place: 0.5 is what one rounding may add."""
    return error / (2 * unit(dtype))
