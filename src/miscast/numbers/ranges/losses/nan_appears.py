"""Numbers that are none, nan, made of numbers that are: 0 / 0, 0 * inf, inf - inf."""

from __future__ import annotations

import linecache
import sys

import torch

from ....vm.provenance.origin import program_frames
from ..loss import HALF, Lost
from ..seen import Seen

OPS = frozenset({"mul", "div", "true_divide", "sub", "add", "rsub"})
WIDENS = True
_REPAIRS = frozenset({
    "nan_to_num", "nan_to_num_", "isnan", "nanmean", "nansum", "nanmedian", "isfinite", "isinf",
})  # fmt: skip
"""A function that calls one of these knows of its nan."""
_NEAR = ("where(", "masked_fill", "] = ")
_LINES = 4
_FORMS = {"mul": "product", "div": "division", "true_divide": "division"}
_SIGNS = {"product": "0 * inf", "division": "0 / 0", "infinities": "inf - inf"}


def find(seen: Seen) -> Lost | None:
    """Return a known result with nan, of operands without; or a known divisor with a 0 in it."""
    dtype = seen.dtype
    if dtype is None or not dtype.is_floating_point:
        return None
    values = seen.known("out")
    found = _divided(seen) if values is None else _made(seen, values)
    return None if found is None or repaired() else found


def _made(seen: Seen, values: torch.Tensor) -> Lost | None:
    nans = int(values.isnan().sum())
    if not nans or values.is_complex():
        return None
    for name in ("self", "other"):
        known = seen.known(name)
        if known is not None and bool(known.isnan().any()):
            return None
    form = _FORMS.get(seen.name, "infinities")
    figures = f"{nans} of {values.numel()} numbers are {_SIGNS[form]}"
    return _told(figures, "self", form)


def _divided(seen: Seen) -> Lost | None:
    if seen.name not in ("div", "true_divide") or seen.in_place:
        return None
    divisor = seen.known("other")
    if divisor is None or not divisor.numel() or divisor.is_complex():
        return None
    zeros = int((divisor == 0).sum())
    # all of them: a counter before anything was counted, which a program fills or does not use
    rounded = _rounded_away(seen, divisor)
    if not zeros or (zeros == divisor.numel() and not rounded):
        return None
    figures = f"{zeros} of {divisor.numel()} divisors are 0"
    return _told(figures, "other", "rounded" if rounded else "division")


def _rounded_away(seen: Seen, divisor: torch.Tensor) -> bool:
    """Check whether the divisor is 1 minus a number near 1, in half precision: `1 - beta ** step`."""
    made = seen.made_by("other")
    return divisor.dtype in HALF and divisor.dim() == 0 and made in ("sub", "rsub")


def _told(figures: str, operand: str, form: str) -> Lost:
    return Lost(
        rule="nan-appears", operand=operand, wanted="", figures=figures, form=form
    )


def repaired() -> bool:
    """Check whether a calling function tests for nan, or the following lines replace it."""
    frames = program_frames(sys._getframe(1))
    if not frames:
        return True
    file, line = frames[0].f_code.co_filename, frames[0].f_lineno
    near = "".join(linecache.getline(file, n) for n in range(line, line + _LINES))
    if any(word in near for word in _NEAR):
        return True
    return any(not _REPAIRS.isdisjoint(frame.f_code.co_names) for frame in frames)
