"""All points that were tried, as dots: memory across, the forecast up, the error as their size."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from ..report.view import Dot, Dots, Tone
from .point import Budget, Point


def picture(
    points: Sequence[Point],
    chosen: Point | None,
    budget: Budget,
    size: Callable[[int], str],
    seconds: Callable[[float | None], str],
) -> Dots | None:
    """Return the chart, or None without a forecast or with fewer than two points."""
    ran = [one for one in points if one.peak and one.seconds is not None]
    if len(ran) < 2:
        return None
    ran.sort(key=lambda one: one is chosen)
    tones: dict[int, Tone] = dict.fromkeys(map(id, front(points)), "")
    tones[id(chosen)] = "good"
    most = max(one.peak for one in ran)
    slowest = max(_figures(one)[1] for one in ran)
    errors = [*filter(None, (one.error for one in ran))]
    by_error = ", size by error" if errors else ""
    limit = budget.memory / most

    def dot(one: Point) -> Dot:
        told = f"{one.title}: {size(one.peak)}, {seconds(one.seconds)}"
        place = one.peak / most, _figures(one)[1] / slowest
        return _dot(one, tones.get(id(one), "dim"), place, errors, told)

    return Dots(
        title="Memory, time, error",
        about="Each point is a candidate: memory on the x axis, forecast on the y axis"
        f"{by_error}; green: chosen, blue: Pareto-optimal, red: rejected",
        dots=tuple(map(dot, ran)),
        across=("0", size(most)),
        up=("0", f"{seconds(slowest)} forecast"),
        limit=(limit, f"budget: {size(budget.memory)}") if limit <= 1 else None,
    )


def _dot(
    one: Point,
    tone: Tone,
    place: tuple[float, float],
    errors: Sequence[float],
    told: str,
) -> Dot:
    error = "" if one.error is None else f", error {one.error:.1e}"
    return Dot(
        x=place[0],
        y=place[1],
        name="" if tone == "dim" else one.title,
        told=f"{told}{error}, rejected" if one.out else told + error,
        size=_share(one.error, errors),
        tone="bad" if one.out else tone,
    )


def _share(error: float | None, errors: Sequence[float]) -> float:
    """Return the share of an error between the least and the most, by their magnitudes."""
    if not error:
        return 0.0
    low, high = math.log(min(errors)), math.log(max(errors))
    return 0.2 + 0.8 * (math.log(error) - low) / ((high - low) or 1.0)


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
