"""Parts of a report beside its findings: a table, a diff, counts. A format asks each for its lines or its data."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from .page import Line


class Section(Protocol):
    """A part of a report, told behind the findings: frozen data of the stage that knows what it says.

    >>> report = replace(report, sections=(*report.sections, ObservedPrecision(ops=...)))
    """

    @property
    def name(self) -> str:
        """The key in JSON, after those of the report."""

    def lines(self, width: int) -> Iterable[Line]:
        """Return the lines of text, an empty one between its own parts; none if it has no content."""

    def data(self) -> Any:
        """Return what msgspec can write, so that keys and types are declared; None where it has nothing to say."""
