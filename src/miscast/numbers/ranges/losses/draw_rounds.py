"""Random numbers of a half dtype: their grid is too coarse for a bound close to 0 or 1, and has 0, which has no log."""

from __future__ import annotations

from ..loss import HALF, PRECISION, Lost, short, spelled
from ..names import DRAWS
from ..seen import Seen

_COMPARES = frozenset({"lt", "le", "gt", "ge"})
_UNIFORM = frozenset({"rand", "rand_like", "uniform"})
_LOGS = frozenset({"log", "log2", "log10"})
OPS = _COMPARES | _LOGS | _UNIFORM | DRAWS
"""Draws, too: that a tensor comes from one is noted of an op that somebody looks at."""
PLAIN = True
WIDENS = True
_TIMES = 5
"""A probability of so many times the share that is drawn in excess is off by a fifth."""


def find(seen: Seen) -> Lost | None:
    """Return a precision loss for a rare event drawn in half precision: 1 becomes 0, in bfloat16 once in 512 draws."""
    draws, uses = seen.tensor("self"), _COMPARES | _LOGS
    if seen.name not in uses or seen.made_by("self") not in _UNIFORM:
        return None
    if draws is None or draws.dtype not in HALF:
        return None
    excess = 2.0 ** -(PRECISION[draws.dtype] + 1)
    end = _end(seen, excess)
    if end is None:
        return None
    return Lost(
        rule="choice-by-rounding",
        form="drawn",
        figures=f"torch.rand in {short(draws.dtype)} is 0 once in {1 / excess:.0f} draws, {end}",
    )


def _end(seen: Seen, excess: float) -> str | None:
    """Return what becomes of such numbers, None if nothing bad does."""
    if seen.name in _LOGS:
        return "whose logarithm is -inf" if seen.made_by("self") in DRAWS else None
    bound = seen.number("other")
    if bound is None or not 0 < bound < 1 or min(bound, 1 - bound) >= _TIMES * excess:
        return None
    return f"and never within {spelled(excess)} of 1: too coarse for {spelled(bound)}"
