"""A flight in a terminal.

flight.jsonl: 2,000 steps, 124,439,808 parameters, torch 2.13.0
loss              10.94 → 2.31 (2.28 … 10.94)
  ▇▅▃▂▂▁▁▁▁▁▁
non-finite  step 1981: the loss is nan
  first: log in head  train.py:41  penalty = torch.log(q)
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from .flight import Flight, Incident, Points

TITLES = {
    "loss": "loss", "norm": "gradient norm", "scale": "loss scale", "lr": "learning rate",
}  # fmt: skip
_HEIGHT = 5
_INCIDENTS = 20
_BLOCKS = " ▁▂▃▄▅▆▇█"


def lines(flight: Flight, width: int) -> Iterator[str]:
    """Yield all of it, at most `width` wide where it draws."""
    yield headline(flight)
    for name, title in TITLES.items():
        points = flight.series.get(name, ())
        if len({value for _, value in points}) > 1:
            yield ""
            yield f"{title:<24} {summary(points)}"
            yield from (
                f"  {row}" for row in drawn(points, width - 2, _HEIGHT, flight.steps)
            )
    if flight.ratios:
        yield ""
        yield "update / weight           last      over the steps"
        name_width = min(40, max(map(len, flight.ratios)))
        for name, points in flight.ratios.items():
            row = drawn(points, max(10, width - name_width - 14), 1, flight.steps)
            yield f"  {name[-name_width:]:<{name_width}}  {points[-1][1]:>8.2g}  {row[0] if row else ''}"
    for one in flight.incidents[:_INCIDENTS]:
        yield ""
        yield from incident(one)
    if len(flight.incidents) > _INCIDENTS:
        yield f"and {len(flight.incidents) - _INCIDENTS} more"


def headline(flight: Flight) -> str:
    """Return what it is a recording of."""
    parts = [f"{flight.steps:,} steps"]
    if flight.parameters:
        parts.append(f"{flight.parameters:,} parameters")
    if flight.skipped:
        parts.append(f"{flight.skipped} skipped")
    if flight.torch:
        parts.append(f"torch {flight.torch}")
    if flight.broken:
        parts.append(
            f"{flight.broken} line{'s' if flight.broken > 1 else ''} truncated"
        )
    return f"{flight.file}: {', '.join(parts)}"


def summary(points: Points) -> str:
    """Return a series' first and last value, and its range."""
    finite = [value for _, value in points if math.isfinite(value)]
    if not finite:
        return f"never finite in {len(points)} steps"
    first, last = points[0][1], points[-1][1]
    scale = ", logarithmic" if is_wide(finite) else ""
    return f"{first:.4g} → {last:.4g} ({min(finite):.4g} … {max(finite):.4g}{scale})"


def incident(one: Incident) -> Iterator[str]:
    """Yield the lines of an alarm or a recovery."""
    yield f"{one.kind}  step {one.step}: {one.lines[0]}"
    yield from (f"  {line}" for line in one.lines[1:])


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
    finite = [*filter(math.isfinite, (value for _, value in points))]
    if not finite:
        return []
    wide = is_wide(finite)
    low, high = _scaled(min(finite), wide), _scaled(max(finite), wide)
    span = (high - low) or 1.0
    rows = [[" "] * width for _ in range(height)]
    for at, values in enumerate(columns(points, width, steps)):
        good = [_scaled(value, wide) for value in filter(math.isfinite, values)]
        if len(good) < len(values):
            rows[0][at] = "!"
        if good:
            level = 1 + round((max(good) - low) / span * (8 * height - 1))
            _fill(rows, at, level)
    return ["".join(row).rstrip() for row in rows]


def _fill(rows: Sequence[list[str]], at: int, level: int) -> None:
    """Fill a column from below, by eighths of a line; what is there stays."""
    for row, line in enumerate(reversed(rows)):
        filled = max(0, min(8, level - 8 * row))
        if filled and line[at] == " ":
            line[at] = _BLOCKS[filled]


def _scaled(value: float, wide: bool) -> float:
    return math.log10(value) if wide else value
