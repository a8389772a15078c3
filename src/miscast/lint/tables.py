"""The tables of effective precision in a report, one per run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING

from ..frozen import dataclass
from ..report.view import Cell as ViewCell, Grid, View, Words
from ..report.wording import path, place, plural, printable
from . import table
from .evidence import MARK, Evidence, of
from .run import Run

if TYPE_CHECKING:
    from rich.text import Text

    from .schema import Table

_UNSEEN = "from the source; not measured with this setting"
_COLUMNS = 80
_PAGE = 40
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
        """Yield the first tables, separated by empty lines, and how many more there are."""
        from rich.text import Text

        from ..report.matrix import Cell, Column, matrix

        def column(part: table.Component, evidence: Evidence) -> Column:
            return Column(
                name=part.name,
                cells=tuple(
                    Cell(
                        respect=respect,
                        value=cell.value,
                        mark=evidence.mark(part.name, respect, cell),
                        note=_note(cell),
                    )
                    for respect, cell in part.cells()
                ),
            )

        shown = self._shown()
        for index, run in enumerate(shown):
            yield from [Text()] * bool(index)
            files = ", ".join(map(path, run.files))
            evidence = of(run)
            columns = [column(part, evidence) for part in run.table]
            yield from matrix(columns, files, width)
            marked = any(cell.mark for one in columns for cell in one.cells)
            for line in wrap(printable(evidence.summary), min(width, _COLUMNS) - 4):
                yield Text(f"  {line}", "dim")
            if marked:
                yield Text(f"  {MARK} {_UNSEEN}", "dim")
            if any(_is_open(cell) for one in run.table for _, cell in one.cells()):
                yield Text("  unknown: decided in code that lint does not read", "dim")
        if len(self.runs) > len(shown):
            more = plural(len(self.runs) - len(shown), "table")
            yield from [Text()] * bool(shown)
            text = f"{more} more of effective precision: --format json has them all"
            yield from (Text(line, "dim") for line in wrap(text, width))

    def views(self) -> Iterator[View]:
        """Yield all tables, each with its evidence."""
        for run in self.runs[:_PAGE]:
            evidence = of(run)
            respects = [respect for respect, _ in run.table[0].cells()]
            cells = [dict(part.cells()) for part in run.table]
            yield Grid(
                title=f"Effective precision: {', '.join(map(path, run.files))}",
                head=("", *(part.name for part in run.table)),
                rows=tuple(
                    (
                        ViewCell(text=respect),
                        *(_shown_as(of_part[respect]) for of_part in cells),
                    )
                    for respect in respects
                ),
                note=evidence.summary,
            )
        if len(self.runs) > _PAGE:
            more = plural(len(self.runs) - _PAGE, "table")
            yield Words(text=f"{more} more: --format json has them all", tone="dim")

    def _shown(self) -> Sequence[Run]:
        if self.faulty:
            return [run for run in self.runs if self.faulty & {*run.files}][:_MOST]
        return self.runs if len(self.runs) <= _MOST else ()


def _shown_as(cell: table.Cell) -> ViewCell:
    dim = cell.value in ("unknown", "none", "off")
    return ViewCell(text=cell.value, tone="dim" if dim else "", note=_note(cell))


def _is_open(cell: table.Cell) -> bool:
    return cell.value == "unknown" and not _note(cell)


def _note(cell: table.Cell) -> str:
    """Return what decided a cell: a setting and its place, else the reason; empty if code decides."""
    if cell.by is not None:
        return f"{place(cell.by.entry.at.location)}  {cell.by.name}"
    return "" if cell.why == "decided in code" else cell.why
