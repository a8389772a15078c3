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
        """Its key in JSON, behind those of the report."""

    def lines(self, width: int) -> Iterable[Line]:
        """As text, an empty line between its own parts; no line at all where it has nothing to say."""

    def data(self) -> Any:
        """What msgspec can write, so that keys and types are declared; None where it has nothing to say."""
