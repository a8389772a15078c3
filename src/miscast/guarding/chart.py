"""A series as characters, eight levels to a line; a `!` is a step whose value was not finite.

▇▅▃▂▂▁▁▁▁!▁▁
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from .flight import Points

_BLOCKS = " ▁▂▃▄▅▆▇█"


def columns(points: Points, width: int, steps: int) -> list[list[float]]:
    """Return the values of each of `width` columns; each column covers an equal number of steps."""
    found: list[list[float]] = [[] for _ in range(width)]
    for step, value in points:
        at = min(width - 1, (max(step, 1) - 1) * width // max(steps, 1))
        found[at].append(value)
    last: list[float] = []
    for at in range(points[-1][0] * width // max(steps, 1) if points else 0):
        # what was measured now and then holds until the next time
        last = found[at] = found[at] or last[-1:]
    return found


def is_wide(values: Sequence[float]) -> bool:
    """Check whether they want a logarithmic scale: all above 0, and a hundred times apart."""
    return bool(values) and min(values) > 0 and max(values) > 100 * min(values)


def drawn(points: Points, width: int, height: int, steps: int) -> list[str]:
    """Return `height` lines of blocks, the highest first; `!` marks a non-finite value. [] if nothing can be drawn."""
    finite = [value for _, value in points if math.isfinite(value)]
    if not points or not finite:
        return []
    wide = is_wide(finite)
    low, high = (_scaled(edge(finite), wide) for edge in (min, max))
    span = (high - low) or 1.0
    rows = [[" "] * width for _ in range(height)]
    for at, values in enumerate(columns(points, width, steps)):
        good = [_scaled(value, wide) for value in values if math.isfinite(value)]
        if len(good) < len(values):
            rows[0][at] = "!"
        if not good:
            continue
        level = 1 + round((max(good) - low) / span * (8 * height - 1))
        for row in range(height):
            filled = max(0, min(8, level - 8 * row))
            if filled and rows[height - 1 - row][at] == " ":
                rows[height - 1 - row][at] = _BLOCKS[filled]
    return ["".join(row).rstrip() for row in rows]


def _scaled(value: float, wide: bool) -> float:
    return math.log10(value) if wide else value
