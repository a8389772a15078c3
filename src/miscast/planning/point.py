"""A candidate that was tried, and what was seen of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..core.event import Location
from .fitting.candidate import Candidate

UNLIMITED = 1 << 62
"""The budget of a machine whose memory is not known, in bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """`peak`: bytes of the fullest device, at `place`; `parts`: what for. `forecast`: of `forecast.Forecast`, or None.

    `error`: how far its losses are from those in float32, relative; None where that was not measured. `out` says why it
    is none to choose, if it is not. `findings`: the errors that a check of it finds. `attention`: its kernels, as
    `fitting.attention.Attention.shown` has them.
    """

    candidate: Candidate
    peak: int = 0
    capacity: int = 0
    place: Location | None = None
    parts: Mapping[str, int] = field(default_factory=dict)
    forecast: Mapping[str, Any] | None = None
    error: float | None = None
    out: str = ""
    findings: Sequence[str] = ()
    attention: Sequence[Mapping[str, Any]] = ()

    @property
    def title(self) -> str:
        """The title in a row of the table."""
        return self.candidate.title

    @property
    def seconds(self) -> float | None:
        """The forecast of a step in seconds; None if there is none."""
        return float(self.forecast["seconds"]) if self.forecast else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """The limits of a plan: bytes on each device, and the error."""

    memory: int
    error: float

    def fits(self, point: Point) -> bool:
        """Check whether it is one to choose."""
        return not point.out and point.peak <= self.memory and self.right(point)

    def right(self, point: Point) -> bool:
        """Check whether its error is known to be small enough, or was not measured."""
        return point.error is None or point.error <= self.error
