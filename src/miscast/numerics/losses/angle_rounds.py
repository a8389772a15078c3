"""Sines and cosines of angles that a half dtype holds only roughly."""

from __future__ import annotations

import math

from ..loss import HALF, Lost, short, spacing, spelled
from ..seen import Seen

OPS = frozenset({"sin", "cos", "tan"})
_ROUGH = 0.06
"""Radians: a neighbour is further off than the third digit of a sine."""


def find(seen: Seen) -> Lost | None:
    """Angles whose neighbours in their dtype are far apart."""
    tensor = seen.tensor("self")
    found = seen.moments("self")
    if tensor is None or tensor.dtype not in HALF or found is None:
        return None
    lo, hi = found.typical()
    most = max(abs(lo), abs(hi))
    apart = spacing(most, tensor.dtype)
    if not math.isfinite(most) or apart < _ROUGH:
        return None
    return Lost(
        rule="angle-rounds",
        figures=f"angles go up to {spelled(most)} rad, where neighbours in {short(tensor.dtype)} are "
        f"{spelled(apart)} rad apart",
    )
