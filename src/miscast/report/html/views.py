"""The sections of a command's report: their views, or their text if they have none."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, starmap
from typing import Any

from ..page import plain
from ..section import Section
from ..view import Curves, Patch, Points, View, Words
from .patches import DiffLine, marked

WIDE, TALL = 1000.0, 160.0
_MOST = 1500
"""Points of a curve: of more, only the minimum and maximum of each column are drawn."""
_LINES = 4000
_IN_THE_PAGE = frozenset({"precision_table", "tree", "nothing"})
"""Sections whose content the page shows anyway."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A curve: its parts between gaps."""

    name: str
    parts: tuple[tuple[tuple[float, float], ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """Curves with the texts of their axes; `marks` are (x, what happened)."""

    lines: tuple[Line, ...]
    top: str
    bottom: str
    left: str
    right: str
    axis: str
    marks: tuple[tuple[float, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A view, its title, and its drawing."""

    kind: str
    title: str
    anchor: str
    view: View
    drawn: Drawn | None = None
    diff: tuple[DiffLine, ...] = ()
    left: int = 0


def of(section: Section) -> Iterator[Shown]:
    """Yield the views of a section, in its order."""
    if section.name in _IN_THE_PAGE:
        return
    made: Any = getattr(section, "views", None)
    views = list(made()) if made is not None else [_as_lines(section)]
    for number, view in enumerate(views):
        if view is not None:
            yield _shown(view, f"{section.name}-{number}")


def _as_lines(section: Section) -> Words | None:
    text = plain(section.lines(100)).rstrip()
    return Words(text=text, verbatim=True) if text else None


def _shown(view: View, name: str) -> Shown:
    title = "" if isinstance(view, Words) else view.title
    diff = list(marked(iter(view.diff.splitlines()))) if isinstance(view, Patch) else []
    return Shown(
        kind=type(view).__name__.lower(),
        title=title,
        anchor=re.sub(r"[^a-z0-9-]", "-", name.lower()),
        view=view,
        drawn=_drawn(view) if isinstance(view, Curves) else None,
        diff=tuple(diff[:_LINES]),
        left=max(len(diff) - _LINES, 0),
    )


def _drawn(view: Curves) -> Drawn | None:
    every = [*chain.from_iterable(points for _, points in view.curves)]
    finite = [*filter(math.isfinite, (y for _, y in every))]
    if not finite:
        return None
    bottom, top = min(finite), max(finite)
    wide = top > 1000 * bottom > 0
    scaled: Callable[[float], float] = math.log10 if wide else float
    low, high = scaled(bottom), scaled(top)
    first, last = min(every)[0], max(every)[0]

    def across(x: float) -> float:
        return WIDE * (x - first) / ((last - first) or 1.0)

    def at(x: float, y: float) -> tuple[float, float]:
        level = (scaled(y) - low) / ((high - low) or 1.0)
        return across(x), TALL * (0.03 + 0.94 * (1 - level))

    def line(name: str, points: Points) -> Line:
        parts = _parts(_thinned(points))
        return Line(name=name, parts=tuple(tuple(starmap(at, one)) for one in parts))

    marks = ((min(max(across(one.x), 0.0), WIDE), one.text) for one in view.marks)
    return Drawn(
        lines=tuple(starmap(line, view.curves)),
        top=f"{top:.4g}" + (" (logarithmic)" if wide else ""),
        bottom=f"{bottom:.4g}",
        left=f"{view.x} {first:,.0f}",
        right=f"{last:,.0f}",
        axis=view.x,
        marks=tuple(marks),
    )


def _thinned(points: Points) -> Points:
    """Return the minimum and maximum of each column, and one non-finite point."""
    if len(points) <= _MOST:
        return points
    wide = -(-len(points) * 2 // _MOST)
    kept: list[tuple[float, float]] = []
    for begin in range(0, len(points), wide):
        some = points[begin : begin + wide]
        gaps = [one for one in some if not math.isfinite(one[1])]
        rest = [one for one in some if math.isfinite(one[1])]
        rest.sort(key=lambda one: one[1])  # the lowest and the highest at its ends
        kept += sorted({*rest[:1], *rest[-1:], *gaps[:1]}, key=lambda one: one[0])
    return tuple(kept)


def _parts(points: Points) -> Iterator[Sequence[tuple[float, float]]]:
    """Yield the runs of points between gaps."""
    part: list[tuple[float, float]] = []
    for x, y in points:
        if math.isfinite(y):
            part.append((x, y))
        elif part:
            yield part
            part = []
    if part:
        yield part
