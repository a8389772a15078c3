"""A flight as a report: each trip is a finding, so that every format has it; the curves are a section."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.text import Text

from ..event import Location
from ..finding import Finding
from ..report import Report
from . import flight_text
from .flight import Flight, Incident
from .trip import SURE

if TYPE_CHECKING:
    from .flight_schema import FlightData


def reported(flight: Flight) -> Report:
    """Of all trips; a recovery is no finding."""
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
        """All points."""
        from .flight_schema import listed

        return listed(self.flight)

    def lines(self, width: int) -> Iterator[Text]:
        """As a terminal shows it."""
        yield from map(Text, flight_text.lines(self.flight, width))


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
