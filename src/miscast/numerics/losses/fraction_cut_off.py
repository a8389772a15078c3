"""Fractions between -1 and 1 that become integers: all but the ends of the range are cut off."""

from __future__ import annotations

from ..loss import INTEGERS, Lost, short, spelled
from ..seen import CASTS, Seen

OPS = CASTS
WIDENS = True


def find(seen: Seen) -> Lost | None:
    """A conversion to integers of numbers that lie between two of them."""
    dtype, tensor = seen.dtype, seen.tensor("self")
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
