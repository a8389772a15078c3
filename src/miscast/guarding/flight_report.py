"""A flight as a report: each trip is a finding, so that every format has it; the curves are a section."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.text import Text

from ..core.event import Location
from ..core.finding import Finding
from ..report import Report
from ..report.view import Curves, Mark, Points, View, Words
from ..report.wording import printable
from .flight import Flight, Incident
from .flight_text import TITLES, headline, lines, summary
from .trip import SURE

if TYPE_CHECKING:
    from .flight_schema import FlightData

_MARKS = 200
"""So many incidents are marked in a drawing."""


def reported(flight: Flight) -> Report:
    """Return a report of all alarms; a recovery is not a finding."""
    trips = [one for one in flight.incidents if one.kind != "recovery"]
    return Report(
        command="flight",
        machine="",
        torch=flight.torch,
        findings=tuple(_finding(flight, one) for one in trips),
        sections=(Drawn(flight=flight),),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """The curves, and what went wrong."""

    flight: Flight

    name = "flight"

    def data(self) -> FlightData:
        """Return all points."""
        from .flight_schema import listed

        return listed(self.flight)

    def lines(self, width: int) -> Iterator[Text]:
        """Yield the lines of the section for a terminal."""
        for line in lines(self.flight, width):
            yield Text(printable(line))

    def views(self) -> Iterator[View]:
        """Yield a curve for each series, with marks where something happened."""
        flight = self.flight
        yield Words(text=headline(flight), tone="dim")
        marks = tuple(
            Mark(x=one.step, text=f"{one.kind}  step {one.step}: {one.lines[0]}")
            for one in flight.incidents[:_MARKS]
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
            yield _ratios(flight, marks)


def _ratios(flight: Flight, marks: tuple[Mark, ...]) -> Curves:
    named = list(flight.ratios.items())
    last = ", ".join(f"{name} {points[-1][1]:.2g}" for name, points in named[:4])
    return Curves(
        title="Update / weight, by module",
        about=f"last: {last}{' …' if len(named) > 4 else ''}",
        curves=tuple((name, _points(points)) for name, points in named),
        marks=marks,
    )


def _finding(flight: Flight, one: Incident) -> Finding:
    what, *more = one.lines
    return Finding(
        rule=one.kind,
        severity="error" if one.kind in SURE else "warning",
        message=f"step {one.step:,}: {what}",
        op="",
        phase="program",
        location=one.location or Location(file=flight.file, line=0),
        error="; ".join(more),
        raises="",
    )


def _points(points: tuple[tuple[int, float], ...]) -> Points:
    return tuple((float(step), value) for step, value in points)
