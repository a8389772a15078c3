"""The tables of effective precision in a report, one per run; `drawing` is imported only for text and pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..core.frozen import dataclass
from .run import Run

if TYPE_CHECKING:
    from rich.text import Text

    from ..report.view import View
    from .schema import Table

_MOST = 2
"""Most tables in a text report: those of files with findings, or all if there are no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrecisionTables:
    """The runs that have a table; `faulty` are the files with findings."""

    runs: tuple[Run, ...]
    faulty: frozenset[str]

    name = "tables"

    def data(self) -> list[Table]:
        """Return all tables."""
        from .schema import tabled

        return [tabled(run) for run in self.runs]

    def lines(self, width: int) -> Iterator[Text]:
        """Yield the first tables as text, and how many more there are."""
        from .drawing import lines

        shown = self._shown()
        return lines(shown, len(self.runs) - len(shown), width)

    def views(self) -> Iterator[View]:
        """Yield the tables for a page, each with its evidence."""
        from .drawing import views

        return views(self.runs)

    def _shown(self) -> Sequence[Run]:
        if self.faulty:
            return [run for run in self.runs if self.faulty & {*run.files}][:_MOST]
        return self.runs if len(self.runs) <= _MOST else ()
