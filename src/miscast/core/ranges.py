"""Ranges by name, as they are told on a command line.

>>> read(["pixels=-1:1", "ids=0:50256"])
{'pixels': (-1.0, 1.0), 'ids': (0.0, 50256.0)}
"""

from __future__ import annotations

import math
from collections.abc import Iterable


def read(told: Iterable[str]) -> dict[str, tuple[float, float]]:
    """Read `name=low:high` ranges. Raises ValueError with the reason if one is malformed."""
    return dict(_range(one) for one in told)


def _range(told: str) -> tuple[str, tuple[float, float]]:
    name, equals, bounds = told.partition("=")
    low, colon, high = bounds.partition(":")
    try:
        lo, hi = float(low), float(high)
    except ValueError:
        lo = hi = math.nan
    well = name.strip().isidentifier() and equals and colon and lo <= hi
    if not well or math.isinf(lo) or math.isinf(hi):
        raise ValueError(
            f"--assume {told!r}: expected name=low:high with finite numbers, such as pixels=-1:1"
        )
    return name.strip(), (lo, hi)
