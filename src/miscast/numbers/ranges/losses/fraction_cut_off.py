"""Fractions between -1 and 1 that become integers: all but the ends of the range are cut off."""

from __future__ import annotations

import torch

from ....core.moments import Moments
from ..loss import INTEGERS, Lost, short, spelled
from ..seen import CASTS, Seen
from ..whole import just_below

_FLOORS = frozenset({"floor_divide", "div"})
_WRITES = {
    "copy": "src", "fill": "value", "index_put": "values", "scalar_tensor": "s",
    **dict.fromkeys(("full", "full_like", "new_full"), "fill_value"),
}  # fmt: skip
OPS = CASTS | _FLOORS | frozenset(_WRITES)
WIDENS = True
_COUNTS = frozenset({"sum", "count_nonzero"})
_MANY = 2
_ROUGHLY = 1.5
_COARSE = 8.0
"""Size below which the fraction of a value is a large part of it."""


def find(seen: Seen) -> Lost | None:
    """Return a conversion to integers of numbers that lie between two of them."""
    dtype, tensor = seen.dtype, seen.tensor("self")
    if dtype not in INTEGERS:
        return None
    if seen.name in _FLOORS:
        return _share(seen, tensor)
    if seen.name in _WRITES:
        return _written(seen, dtype)
    if tensor is None or not tensor.is_floating_point() or tensor.numel() < 2:
        return None
    values, found = seen.known("self"), seen.moments("self")
    below = 0 if values is None else just_below(values)
    if below >= _MANY:
        figures = f"{below} of {tensor.numel()} numbers are just below a whole one, by a rounding: 1 less"
        return Lost(rule="fraction-cut-off", form="below", figures=figures)
    return None if found is None or found.whole else _cast(tensor.dtype, dtype, found)


def _cast(before: torch.dtype, dtype: torch.dtype, found: Moments) -> Lost | None:
    lo, hi = found.typical()
    if found.constant() or lo < -1.0 or hi > 1.0:
        return None
    return Lost(
        rule="fraction-cut-off",
        wanted=short(before),
        figures=f"numbers between {spelled(lo)} and {spelled(hi)} become "
        f"{'-1, 0 or 1' if lo < 0 else '0 or 1'} in {short(dtype)}",
    )


def _written(seen: Seen, dtype: torch.dtype) -> Lost | None:
    """Return a precision loss if fractions are written to an integer tensor without explicit rounding."""
    name = _WRITES[seen.name]
    given, found = seen.given.get(name), seen.moments(name)
    if isinstance(given, torch.Tensor) and not given.is_floating_point():
        return None
    if found is None or found.whole or not 0 < found.rms < _COARSE:
        return None
    lo, hi = found.typical()
    what = (
        spelled(lo) if lo == hi else f"numbers between {spelled(lo)} and {spelled(hi)}"
    )
    return Lost(
        rule="fraction-cut-off",
        operand="out" if seen.tensor("self") is None else "self",
        form="written",
        figures=f"{what} written into {short(dtype)}: the fractional part is dropped",
    )


def _share(seen: Seen, tensor: torch.Tensor | None) -> Lost | None:
    """Return one count over all that were counted: 0, until it is all of them; or parts divided by their sum."""
    if seen.made_by("other") in _COUNTS and _all_below(seen):
        return Lost(
            rule="fraction-cut-off",
            form="share",
            figures="integers divided by their sum and rounded down are 0",
        )
    counted, of = seen.moments("self"), seen.moments("other")
    if tensor is None or tensor.dim() or seen.made_by("self") not in _COUNTS:
        return None
    if counted is None or of is None or not of.constant() or of.hi < _MANY:
        return None
    if counted.lo < 0 or counted.hi > of.hi:
        return None
    return Lost(
        rule="fraction-cut-off",
        form="share",
        figures=f"a fraction of {spelled(of.hi)} becomes 0 or 1 in {short(tensor.dtype)}",
    )


def _all_below(seen: Seen) -> bool:
    """Check whether the dividends, unless they are positions, are smaller than the divisor."""
    part, whole = seen.moments("self"), seen.moments("other")
    tensor = seen.tensor("self")
    if part is None or whole is None or tensor is None or tensor.numel() < _MANY:
        return False
    some = 0 <= part.lo < part.hi and seen.made_by("self") != "arange"
    return some and part.hi < whole.mean <= part.mean * tensor.numel() * _ROUGHLY
