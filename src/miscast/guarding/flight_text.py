"""A flight in a terminal.

flight.jsonl: 2,000 steps, 124,439,808 parameters, torch 2.13.0
loss              10.94 → 2.31 (2.28 … 10.94)
  ▇▅▃▂▂▁▁▁▁▁▁
non-finite  step 1981: the loss is nan
  first: log in head  train.py:41  penalty = torch.log(q)
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from .chart import drawn, is_wide
from .flight import Flight, Incident, Points

TITLES = {
    "loss": "loss",
    "norm": "gradient norm",
    "scale": "loss scale",
    "lr": "learning rate",
}
_HEIGHT = 5
_INCIDENTS = 20


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
