"""A flight as the report of a command: what is told of it in each format."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rich.text import Text

from ..report import Report
from ..report.view import Curves, Mark, Points, View, Words
from ..report.wording import printable
from .flight import Flight, Incident
from .flight_text import TITLES, headline, lines, summary

_WIDEST = 160
_TOLD, _MARKS = 50, 200


def reported(flight: Flight) -> Report:
    """The report on what was recorded."""
    return Report(
        command="flight",
        machine="",
        torch=flight.torch,
        sections=(FlightSection(flight=flight),),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FlightSection:
    """The curves, and what happened."""

    flight: Flight

    name = "flight"

    def data(self) -> Flight:
        """All of it."""
        return self.flight

    def lines(self, width: int) -> Iterator[Text]:
        """Drawn in characters."""
        for line in lines(self.flight, min(width, _WIDEST)):
            yield Text(printable(line))

    def views(self) -> Iterator[View]:
        """What happened, then a curve for each series, with marks where it did."""
        flight = self.flight
        yield Words(text=headline(flight), tone="dim")
        for one in flight.incidents[:_TOLD]:
            yield Words(text="\n".join(_told(one)), verbatim=True)
        if len(flight.incidents) > _TOLD:
            yield Words(text=f"and {len(flight.incidents) - _TOLD} more", tone="dim")
        marks = tuple(
            Mark(x=one.step, text=_told(one)[0]) for one in flight.incidents[:_MARKS]
        )
        for name, title in TITLES.items():
            points = flight.series.get(name, ())
            if len({value for _, value in points}) > 1:
                yield Curves(
                    title=title.capitalize(),
                    about=summary(points),
                    curves=((title, _points(points)),),
                    marks=marks,
                )
        if flight.ratios:
            last = [
                f"{name} {points[-1][1]:.2g}"
                for name, points in list(flight.ratios.items())[:4]
            ]
            yield Curves(
                title="Update / weight, by module",
                about=f"last: {', '.join(last)}{' …' if len(flight.ratios) > len(last) else ''}",
                curves=tuple(
                    (name, _points(points)) for name, points in flight.ratios.items()
                ),
                marks=marks,
            )


def _told(one: Incident) -> tuple[str, ...]:
    return (f"{one.kind}  step {one.step}: {one.lines[0]}", *one.lines[1:])


def _points(points: tuple[tuple[int, float], ...]) -> Points:
    return tuple((float(step), value) for step, value in points)
