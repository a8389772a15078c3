"""Check whether a fix spoils values: compare the op's operands with those before the change.

position = torch.arange(4096, dtype=torch.float16)     # every second angle is another one,
block(wave(position))                                  # where casting the waves moves them by 0.0002
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ...core.dtypes import DTYPES, facts
from ...core.event import Numbers

_MUCH = 64.0  # times what one rounding at the op would cost: six bits of the eleven of float16

Calls = Mapping[str, Sequence[Numbers]]
"""The numbers of an op's operands in several calls, by their names."""


def may_spoil(wanted: str, before: Mapping[str, Numbers]) -> bool:
    """Check whether an operand with known values would be rounded to the wanted dtype."""
    return wanted in DTYPES and any(
        _narrower(wanted, one.dtype) for one in before.values()
    )


def steady(before: Mapping[str, Numbers], again: Mapping[str, Numbers]) -> bool:
    """Check whether another run of the program gave the op the same values."""
    return all(
        name in again and _same(was, again[name]) for name, was in before.items()
    )


def spoilt(before: Mapping[str, Numbers], after: Calls) -> str:
    """Return why a change is rejected if an operand, rounded too early, has other values; "" if none has.

    One of its calls may give what was given before. Only operands whose numbers are known in both runs and that are
    narrower now are compared, and of these only numbers that the dtype holds: a mask's -1e9 is infinite in float16
    wherever it is cast.
    """
    for name, was in before.items():
        told = [_off(was, now) for now in after.get(name, ()) if now.shape == was.shape]
        if told and all(told):
            return f"`{name}` would be off by {told[0]}, being rounded too early"
    return ""


def _off(was: Numbers, now: Numbers) -> str:
    if not _narrower(now.dtype, was.dtype):
        return ""
    pairs = zip(was.values, now.values, strict=True)
    held = [(a, b) for a, b in pairs if abs(a) <= facts(now.dtype).max]
    scale = max((abs(a) for a, _ in held), default=0.0)
    errors = [abs(b - a) for a, b in held]
    if all(error <= _MUCH * scale * facts(now.dtype).eps / 2 for error in errors):
        return ""
    return f"{max(errors):.2g} in numbers up to {scale:.2g}"


def _narrower(one: str, other: str) -> bool:
    return facts(one).eps > facts(other).eps


def _same(one: Numbers, other: Numbers) -> bool:
    pairs = zip(one.values, other.values, strict=False)
    return (one.dtype, one.shape) == (other.dtype, other.shape) and all(
        a == b or math.isnan(a) for a, b in pairs
    )
