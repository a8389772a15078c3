"""The data under `flight` in the JSON of `miscast flight`; numbers that JSON lacks are texts: "nan", "inf"."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from ..core.event import Location
from ..report.json import taken
from .flight import Flight

Number = float | Literal["nan", "inf", "-inf"]
Curve = tuple[tuple[int, Number], ...]
"""(step, value)."""


class IncidentData(Struct, kw_only=True):
    """An alarm or a recovery: its text, and the program's line where it started, if known."""

    step: int
    kind: str
    lines: tuple[str, ...]
    location: Location | None = None


class FlightData(Struct, kw_only=True):
    """A recorded training run: `series` has loss, norm, scale, lr and seconds; `ratios` has update/weight by module."""

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
    """Return all that was recorded."""
    return taken(FlightData, flight)
