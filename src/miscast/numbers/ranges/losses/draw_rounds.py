"""Random numbers of a half dtype: their grid is too coarse for a bound close to 0 or 1, and has 0, which has no log."""

from __future__ import annotations

import torch

from ..loss import HALF, PRECISION, Lost, short, spelled
from ..names import DRAWS
from ..seen import Seen

_COMPARES = frozenset({"lt", "le", "gt", "ge"})
UNIFORM = frozenset({"rand", "rand_like", "uniform"})
_LOGS = frozenset({"log", "log2", "log10"})
OPS = _COMPARES | _LOGS | UNIFORM | DRAWS
"""Draws, too: that a tensor comes from one is noted of an op that somebody looks at."""
PLAIN = True
WIDENS = True
_TIMES = 5
"""A probability of so many times the share that is drawn in excess is off by a fifth."""


def find(seen: Seen) -> Lost | None:
    """Return a precision loss for a rare event drawn in half precision: 1 becomes 0, in bfloat16 once in 512 draws."""
    if seen.name not in _COMPARES | _LOGS:
        return None
    for name, bound in (("self", "other"), ("other", "self")):
        draws = seen.tensor(name)
        if (
            draws is None
            or draws.dtype not in HALF
            or seen.made_by(name) not in UNIFORM
        ):
            continue
        figures = _figures(draws.dtype, "whose logarithm is -inf")
        if seen.name in _COMPARES:
            figures = too_coarse(seen.number(bound), draws.dtype)
        elif seen.made_by(name) not in DRAWS:
            figures = ""
        if figures:
            return Lost(
                rule="choice-by-rounding", form="drawn", operand=name, figures=figures
            )
    return None


def too_coarse(bound: float | None, dtype: torch.dtype) -> str:
    """Return why uniform numbers of a half dtype are below a bound too often or too rarely; "" if they are not."""
    excess = _excess(dtype)
    if bound is None or not 0 < bound < 1 or min(bound, 1 - bound) >= _TIMES * excess:
        return ""
    end = f"and never within {spelled(excess)} of 1: too coarse for {spelled(bound)}"
    return _figures(dtype, end)


def _figures(dtype: torch.dtype, end: str) -> str:
    return f"torch.rand in {short(dtype)} is 0 once in {1 / _excess(dtype):.0f} draws, {end}"


def _excess(dtype: torch.dtype) -> float:
    """Return the share of draws that are rounded to 1, and so become 0."""
    return 2.0 ** -(PRECISION[dtype] + 1)
