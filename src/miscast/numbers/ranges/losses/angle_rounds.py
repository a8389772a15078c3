"""Sines, cosines and phases, `t % period`, of numbers that a dtype holds only roughly, or held at some time."""

from __future__ import annotations

import math

from ..history import Rounded, rounding_of
from ..loss import HALF, Lost, short, spacing, spelled, wider
from ..seen import Seen

_TURNS = frozenset({"remainder", "fmod"})
OPS = _TURNS | {"sin", "cos", "tan", "polar", "exp", "frac"}
PLAIN = True
WIDENS = True
_ROUGH = 0.06
"""Radians: a neighbour is further off than the third digit of a sine."""
_OFF = 0.25
"""Radians that the most affected angle is off by: a third of the way to the next position at the first frequencies."""
_PART = 0.05
"""The same of a phase, as a part of the period."""


def find(seen: Seen) -> Lost | None:
    """Return a precision loss at angles whose dtype is too coarse, or that were computed from rounded numbers."""
    name = "angle" if seen.name == "polar" else "self"
    tensor = seen.tensor(name)
    if tensor is None or (seen.name == "exp" and not tensor.is_complex()):
        return None
    if seen.name == "frac" or seen.name in _TURNS:
        return _phase(rounding_of(tensor), seen.number("other") or 1.0)
    if tensor.dtype in HALF:
        return _held(seen, name)
    return _computed(rounding_of(tensor), name)


def _phase(rounding: Rounded | None, period: float) -> Lost | None:
    """Return the loss of what is left over whole periods, of numbers that are off by a part of one."""
    if rounding is None or rounding.origin is None:
        return None
    part, kept = rounding.error / abs(period), short(rounding.origin.dtype)
    # of whole numbers, positions in a ring say, `integer-rounds` tells
    whole = rounding.exact is None or not bool(rounding.exact.frac().any())
    if whole or not _PART <= part < math.inf:
        return None
    return Lost(
        rule="angle-rounds",
        wanted=wider(rounding.origin.dtype),
        form="phase",
        origin=rounding.origin,
        figures=f"they are computed from {kept} numbers and off by up to {part:.0%} of the period",
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
        wanted=wider(rounding.origin.dtype),
        form=rounding.form,
        origin=rounding.origin,
        figures=f"they are computed from {short(rounding.origin.dtype)} numbers and off by up to "
        f"{spelled(rounding.error)} rad",
    )
