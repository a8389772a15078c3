"""Random numbers of a half dtype that are compared with a number close to 0 or 1: their grid is too coarse for it."""

from __future__ import annotations

from ..loss import HALF, PRECISION, Lost, short, spelled
from ..names import DRAWS
from ..seen import Seen

_COMPARES = frozenset({"lt", "le", "gt", "ge"})
_UNIFORM = frozenset({"rand", "rand_like", "uniform"})
OPS = _COMPARES | _UNIFORM | DRAWS
"""Draws, too: that a tensor comes from one is noted of an op that somebody looks at."""
PLAIN = True
WIDENS = True
_TIMES = 5
"""A probability of so many times the share that is drawn in excess is off by a fifth."""


def find(seen: Seen) -> Lost | None:
    """Return a precision loss for a rare event drawn in half precision: 1 becomes 0, in bfloat16 once in 512 draws."""
    draws, bound = seen.tensor("self"), seen.number("other")
    if (
        seen.name not in _COMPARES
        or seen.made_by("self") not in _UNIFORM
        or bound is None
    ):
        return None
    if draws is None or draws.dtype not in HALF or not 0 < bound < 1:
        return None
    excess = 2.0 ** -(PRECISION[draws.dtype] + 1)
    if min(bound, 1 - bound) >= _TIMES * excess:
        return None
    return Lost(
        rule="choice-by-rounding",
        form="drawn",
        figures=f"torch.rand in {short(draws.dtype)} is 0 once in {1 / excess:.0f} draws, and never within "
        f"{spelled(excess)} of 1: too coarse for {spelled(bound)}",
    )
