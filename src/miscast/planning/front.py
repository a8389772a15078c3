"""The points that no other one beats in all of memory, forecast and error."""

from __future__ import annotations

from collections.abc import Sequence

from .point import Point


def front(points: Sequence[Point]) -> tuple[Point, ...]:
    """Return the Pareto-optimal points, least memory first, without rejected ones and the unchanged program."""
    able = [one for one in points if not one.out and not one.candidate.as_it_is]
    best = [one for one in able if not any(_beats(other, one) for other in able)]
    alone: dict[tuple[float, ...], Point] = {}
    for one in best:
        alone.setdefault(_figures(one), one)
    return tuple(sorted(alone.values(), key=lambda one: one.peak))


def _figures(point: Point) -> tuple[float, ...]:
    return (float(point.peak), point.seconds or 0.0, point.error or 0.0)


def _beats(other: Point, point: Point) -> bool:
    theirs, own = _figures(other), _figures(point)
    return theirs != own and all(a <= b for a, b in zip(theirs, own, strict=True))
