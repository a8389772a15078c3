"""A small constant, most often an eps, that is 0 in float16."""

from __future__ import annotations

import torch

from ..loss import HALF, PRECISION, SMALLEST, Lost, is_one, rounded, short, spelled
from ..seen import CASTS, Seen

_MADE = {"full": "fill_value", "full_like": "fill_value", "new_full": "fill_value", "fill": "value"}  # fmt: skip
_COMPARES = frozenset({"gt", "ge", "lt", "le"})
_BOUNDS = {"add", "sub", "rsub", "clamp", "clamp_min", "clamp_max", "maximum"}
OPS = CASTS | _COMPARES | frozenset(_MADE) | _BOUNDS
PLAIN = True
WIDENS = True  # a comparison gives a bool
_ARGUMENTS = {"clamp": "min", "clamp_min": "min"}
_OF_NORMALIZE = 1e-12
"""Default bound of a norm in `F.normalize`. It matters only if a row is 0, which few are."""


def find(seen: Seen) -> Lost | None:
    """Return a number other than 0 that the result's dtype takes for 0, or a bound beside 1 that it takes for 1."""
    if seen.name in _COMPARES:
        tensor = seen.tensor("self")
        return None if tensor is None else _bound(seen.given.get("other"), tensor.dtype)
    dtype = seen.dtype
    if dtype not in HALF:
        return None
    if seen.name in CASTS:
        return _cast(seen, dtype)
    if seen.name in _MADE:
        return rounded(seen.given.get(_MADE[seen.name]), dtype)
    top = _bound(seen.number("max"), dtype)
    if top is not None and seen.name in ("clamp", "clamp_max"):
        return top
    number = seen.number(_ARGUMENTS.get(seen.name, "other"))
    if dtype is not torch.float16 or not number or abs(number) > SMALLEST:
        return None
    if number == _OF_NORMALIZE and not _has_zeros(seen):
        return None
    return Lost(
        rule="constant-vanishes",
        form="eps",
        figures=f"{spelled(number)} is 0 in float16, whose smallest number is 6e-8",
    )


def _bound(number: object, dtype: torch.dtype) -> Lost | None:
    if not isinstance(number, float) or not is_one(number, dtype):
        return None
    return Lost(
        rule="constant-vanishes",
        form="bound",
        figures=f"{number:.8g} is 1 in {short(dtype)}: the next number below 1 is {1 - 2.0 ** -PRECISION[dtype]:.6g}",
    )


def _cast(seen: Seen, dtype: torch.dtype) -> Lost | None:
    """Return one number that was computed, and becomes 0 or 1."""
    tensor = seen.tensor("self")
    if tensor is None or tensor.dtype in HALF or tensor.dim():
        return None
    return rounded(seen.number("self"), dtype)


def _has_zeros(seen: Seen) -> bool:
    values = seen.known("self")
    return values is not None and not bool(values.all())
