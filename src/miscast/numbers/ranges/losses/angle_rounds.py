"""Sines and cosines of angles that a half dtype holds only roughly, or held at some time."""

from __future__ import annotations

import math

from ..history import Rounded, rounding_of
from ..loss import HALF, Lost, short, spacing, spelled
from ..seen import Seen

OPS = frozenset({"sin", "cos", "tan", "polar", "exp"})
PLAIN = True
WIDENS = True
_ROUGH = 0.06
"""Radians: a neighbour is further off than the third digit of a sine."""
_OFF = 0.25
"""Radians that the most affected angle is off by: a third of the way to the next position at the first frequencies."""


def find(seen: Seen) -> Lost | None:
    """Return a precision loss at angles whose dtype is too coarse, or that were computed from rounded numbers."""
    name = "angle" if seen.name == "polar" else "self"
    tensor = seen.tensor(name)
    if tensor is None or (seen.name == "exp" and not tensor.is_complex()):
        return None
    return (
        _held(seen, name)
        if tensor.dtype in HALF
        else _computed(rounding_of(tensor), name)
    )


def _held(seen: Seen, name: str) -> Lost | None:
    tensor, found = seen.given[name], seen.moments(name)
    if found is None:
        return None
    lo, hi = found.typical()
    most = max(abs(lo), abs(hi))
    apart = spacing(most, tensor.dtype)
    if not math.isfinite(most) or apart < _ROUGH:
        return None
    rounding = rounding_of(tensor)
    return Lost(
        rule="angle-rounds",
        form="" if rounding is None else rounding.form,
        origin=None if rounding is None else rounding.origin,
        figures=f"angles go up to {spelled(most)} rad, where neighbouring {short(tensor.dtype)} numbers are "
        f"{spelled(apart)} rad apart",
    )


def _computed(rounding: Rounded | None, operand: str) -> Lost | None:
    if rounding is None or rounding.error < _OFF or rounding.origin is None:
        return None
    return Lost(
        rule="angle-rounds",
        operand=operand,
        form=rounding.form,
        origin=rounding.origin,
        figures=f"they are computed from {short(rounding.origin.dtype)} numbers and off by up to "
        f"{spelled(rounding.error)} rad",
    )
