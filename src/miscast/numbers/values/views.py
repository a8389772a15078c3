"""Views of a shadow on a page: bars of the error, curves of the losses, and where the two diverge."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ...report.view import Bar, Bars, Curves, View, Words
from ...report.wording import place, plural
from .parting import Parted, Parting, Way, by
from .section import Added, LossValue, Output, Ranking, counted, share

_ROWS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownRanking(Ranking):
    """A ranking that has a page, too."""

    def views(self) -> Iterator[View]:
        """Yield charts of the lines that add the most error, and of what reaches outputs and the loss."""
        return _of_ranking(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownParting(Parting):
    """The same of a program and its twin."""

    def views(self) -> Iterator[View]:
        """Yield charts of where the two precisions diverge, and how far."""
        return _of_parting(self)


def _of_ranking(found: Ranking) -> Iterator[View]:
    if found.loss is not None:
        one = found.loss
        yield Words(text=f"The loss at {place(one.location)} is {one.told}.")
    yield from (Words(text=f"Cheapest: {one}.") for one in found.in_words())
    yield from _bars("Error added by line", map(_of_line, found.added[:_ROWS]))
    most = max((one.error for one in found.outputs), default=1.0) or 1.0
    rows = (_of_output(one, most) for one in found.outputs[:_ROWS])
    yield from _bars("Outputs of modules", rows)
    yield from _unknown("no float64 version, treated as exact", found.unknown)


def _of_line(one: Added) -> Bar:
    module = f" {one.module}" if one.module else ""
    calls = plural(one.calls, "call")
    return Bar(
        number=share(one.share),
        name=place(one.location),
        told=f"{one.op} {one.dtype}{module} · {calls}, {one.ulps:.2g} ulp, "
        f"{share(one.cost)} of the elements",
        length=one.share,
    )


def _of_output(one: Output, most: float) -> Bar:
    moves = (
        f" · moves the loss by {share(one.reaches)}" if one.reaches is not None else ""
    )
    return Bar(
        number=share(one.error),
        name=one.module,
        told=one.dtype + moves,
        length=one.error / most,
    )


def _of_parting(found: Parting) -> Iterator[View]:
    if not found.parted:
        yield Words(
            text=f"In {found.precision} the program gives bit-identical results."
        )
    yield from _losses(found.losses, found.precision)
    places = (_of_parted(level, one) for level, one in found.parted.items())
    yield from _bars("Where they diverge first", places)
    worst = sorted(found.outputs, key=lambda one: -one.worst)
    yield from _bars(
        "Outputs of modules",
        (
            Bar(
                number=share(one.worst),
                name=one.module,
                told=f"{one.dtype} · {share(one.first)} at the first call",
                length=one.worst,
            )
            for one in worst[:_ROWS]
            if one.worst
        ),
    )
    weights = (_of_way(one, found.precision) for one in found.weights[:_ROWS])
    yield from _bars("How far weights moved", weights)
    yield from _bars(
        "Different decisions",
        (
            Bar(
                number=f"{one.otherwise:,}",
                name=place(one.location),
                told=f"{one.op}, of {one.of:,}",
                length=one.otherwise / one.of,
            )
            for one in found.decisions[:_ROWS]
        ),
    )
    yield from _unknown(
        f"no {found.precision} version, taken from the program", found.unknown
    )


def _of_parted(level: float, one: Parted) -> Bar:
    module = f" {one.location.module}" if one.location.module else ""
    told = f"{one.op} {one.dtype}{module} · step {one.step}, in {one.phase}, {share(one.error)} apart"
    return Bar(number=by(level), name=place(one.location), told=told)


def _of_way(one: Way, precision: str) -> Bar:
    known = math.isfinite(one.apart)
    return Bar(
        number=share(one.apart) if known else "",
        name=one.name,
        told=f"{one.dtype} · moved {one.went:.3g}, in {precision} {one.beside:.3g}",
        length=one.apart if known else None,
    )


def _losses(losses: Sequence[LossValue], precision: str) -> Iterator[View]:
    """Yield two curves, the program's and that of the other precision."""
    if len(losses) < 2:
        for one in losses:
            yield Words(
                text=f"The loss is {one.value:.6g}, in {precision} {one.exact:.6g}."
            )
        return
    first, last = losses[0], losses[-1]
    yield Curves(
        title="Loss",
        about=f"{first.value:.6g} → {last.value:.6g}, in {precision} {first.exact:.6g} → {last.exact:.6g}",
        curves=(
            ("the program", tuple((n, one.value) for n, one in _steps(losses))),
            (f"in {precision}", tuple((n, one.exact) for n, one in _steps(losses))),
        ),
    )


def _steps(losses: Sequence[LossValue]) -> Iterator[tuple[float, LossValue]]:
    """Yield each with its step; of several of one step, each a little further."""
    steps = [one.step for one in losses]
    for number, one in enumerate(losses):
        many = steps.count(one.step) if len(steps) < 500 else 1
        further = (number - steps.index(one.step)) / many if many > 1 else 0
        yield one.step + further, one


def _bars(title: str, bars: Iterable[Bar]) -> Iterator[View]:
    found = tuple(bars)
    if found:
        yield Bars(title=title, bars=found)


def _unknown(what: str, calls: dict[str, int]) -> Iterator[View]:
    if calls:
        yield Words(label="unknown", text=f"{what}: {counted(calls)}", tone="warn")
