"""Finite numbers of which an op makes infinities, or nan, because of its dtype."""

from __future__ import annotations

import math

import torch

from ..loss import HALF, Lost, short, spelled
from ..seen import CASTS, Seen, in_float64

OPS: frozenset[str] = frozenset()
_TAILS = frozenset(
    {"softmax", "_softmax", "zeros", "zeros_like", "where", "masked_fill"}
)
_SHRINK = frozenset({"mul", "square", "pow", "div"})
_SMALLEST = 2.0**-25
_TINY = 1e-30
"""Smaller values are intended as 0: an exponential of a mask."""


def find(seen: Seen) -> Lost | None:
    """Return a finding for a known result that is finite in float64, else for typical values beyond the dtype."""
    dtype = seen.dtype
    if dtype not in HALF or seen.in_place or not isinstance(seen.out, torch.Tensor):
        return None
    values = seen.known("out")
    if values is None:
        return _typically(seen, dtype)
    if bool(values.isfinite().all()):
        return _nothing_left(seen, values)
    if _masks(seen, dtype):
        return None
    exact = in_float64(seen)
    if exact is None or exact.shape != values.shape or not bool(exact.isfinite().all()):
        return None
    most, top = float(exact.abs().max()), torch.finfo(dtype).max
    if most > top:
        figures = (
            f"numbers reach {spelled(most)}, but {short(dtype)} ends at {spelled(top)}"
        )
    else:
        lost = int((~values.isfinite()).sum())
        figures = f"{lost} of {values.numel()} numbers become inf or nan: an intermediate result exceeds {spelled(top)}"
    return _told(seen, "number-overflows", figures)


def _told(seen: Seen, rule: str, figures: str) -> Lost:
    return Lost(
        rule=rule,
        operand="self" if seen.tensor("self") is not None else "out",
        form=_form(seen),
        figures=figures,
    )


def _form(seen: Seen) -> str:
    """Return which help the op takes: a product has logarithms, a cast has nothing before it to widen."""
    if seen.name in CASTS:
        return "cast"
    if seen.name in ("prod", "cumprod"):
        return "product"
    if any(isinstance(one, torch.Tensor) for one in seen.given.values()):
        return ""
    return "made"


def _nothing_left(seen: Seen, values: torch.Tensor) -> Lost | None:
    """Return a precision loss if all values become 0 due to their dtype; softmax tails and masks may."""
    if seen.name in _TAILS or not values.numel() or bool(values.any()):
        return None
    if seen.name in CASTS and values.numel() == 1:
        return None  # one small number that is cast is no loss of all
    exact = in_float64(seen)
    if exact is None or exact.shape != values.shape or float(exact.abs().min()) < _TINY:
        return None
    most = spelled(exact.abs().max().item())
    return _told(
        seen,
        "number-underflows",
        f"all {values.numel()} numbers become 0, the largest would be {most}",
    )


def _masks(seen: Seen, dtype: torch.dtype) -> bool:
    """Check whether a mask is among the operands, which is as low as its dtype goes."""
    for name in seen.given:
        values = seen.known(name)
        if (
            values is not None
            and values.is_floating_point()
            and values.numel()
            and float(values.abs().max()) >= torch.finfo(dtype).max / 4
        ):
            return True
    return False


def _typically(seen: Seen, dtype: torch.dtype) -> Lost | None:
    found = seen.moments("out")
    if found is None:
        return None
    lo, hi = found.typical()
    most, top = max(abs(lo), abs(hi)), torch.finfo(dtype).max
    if seen.name in _SHRINK and _TINY < most < _SMALLEST and dtype is torch.float16:
        return _told(
            seen,
            "number-underflows",
            f"numbers of at most {spelled(most)} are 0 in float16, whose smallest is 6e-8",
        )
    if math.isinf(most) or most <= top:
        return None
    return _told(
        seen,
        "number-overflows",
        f"numbers reach {spelled(most)} here, but {short(dtype)} ends at {spelled(top)}",
    )
