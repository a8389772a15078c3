"""What stands under `flight` in the JSON of `miscast flight`; a number that JSON has not is a text: "nan", "inf"."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from ..event import Location
from ..report.json import taken
from .flight import Flight

Number = float | Literal["nan", "inf", "-inf"]
Curve = tuple[tuple[int, Number], ...]
"""(step, value)."""


class IncidentData(Struct, kw_only=True):
    """A trip or a recovery, as its lines, and the program's line that it began at, where that is known."""

    step: int
    kind: str
    lines: tuple[str, ...]
    location: Location | None = None


class FlightData(Struct, kw_only=True):
    """A recorded training: `series` has loss, norm, scale, lr and seconds, `ratios` update to weight, by module."""

    file: str
    torch: str
    parameters: int
    steps: int
    series: dict[str, Curve]
    ratios: dict[str, Curve]
    incidents: tuple[IncidentData, ...]
    skipped: int
    broken: int


def listed(flight: Flight) -> FlightData:
    """All that was recorded."""
    return taken(FlightData, flight)
