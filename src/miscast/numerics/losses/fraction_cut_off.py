"""Fractions between -1 and 1 that become integers: all but the ends of the range are cut off."""

from __future__ import annotations

import torch

from ..loss import INTEGERS, Lost, short, spelled
from ..seen import CASTS, Seen

_FLOORS = frozenset({"floor_divide", "div"})
OPS = CASTS | _FLOORS
WIDENS = True
_COUNTS = frozenset({"sum", "count_nonzero"})
_MANY = 2


def find(seen: Seen) -> Lost | None:
    """A conversion to integers of numbers that lie between two of them."""
    dtype, tensor = seen.dtype, seen.tensor("self")
    if seen.name in _FLOORS:
        return _share(seen, tensor) if dtype in INTEGERS else None
    if dtype not in INTEGERS or tensor is None or not tensor.is_floating_point():
        return None
    found = seen.moments("self")
    if found is None or found.whole or found.constant() or tensor.numel() < 2:
        return None
    lo, hi = found.typical()
    if lo < -1.0 or hi > 1.0:
        return None
    return Lost(
        rule="fraction-cut-off",
        operand="self",
        wanted=short(tensor.dtype),
        figures=f"numbers between {spelled(lo)} and {spelled(hi)} become "
        f"{'-1, 0 or 1' if lo < 0 else '0 or 1'} in {short(dtype)}",
    )


def _share(seen: Seen, tensor: torch.Tensor | None) -> Lost | None:
    """One count over all that were counted: 0, until it is all of them."""
    counted, of = seen.moments("self"), seen.moments("other")
    if tensor is None or tensor.dim() or seen.made_by("self") not in _COUNTS:
        return None
    if counted is None or of is None or not of.constant() or of.hi < _MANY:
        return None
    if counted.lo < 0 or counted.hi > of.hi:
        return None
    return Lost(
        rule="fraction-cut-off",
        operand="self",
        wanted="float32",
        figures=f"a share of {spelled(of.hi)} is 0 or 1 as {short(tensor.dtype)}",
    )
