"""Tables of effective precision as text, and as a part of a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap

from rich.text import Text

from ..report.matrix import Cell, Column, matrix
from ..report.view import Cell as ViewCell, Grid, View, Words
from ..report.wording import path, place, plural, printable
from . import table
from .evidence import MARK, Evidence, of
from .run import Run

_UNSEEN = "from the source; not measured with this setting"
_COLUMNS = 80
_PAGE = 40


def lines(shown: Sequence[Run], more: int, width: int) -> Iterator[Text]:
    """Yield tables as text, separated by empty lines, and how many more there are."""
    for index, run in enumerate(shown):
        yield from [Text()] * bool(index)
        files = ", ".join(map(path, run.files))
        evidence = of(run)
        columns = [_column(part, evidence) for part in run.table]
        yield from matrix(columns, files, width)
        for line in wrap(printable(evidence.summary), min(width, _COLUMNS) - 4):
            yield Text(f"  {line}", "dim")
        if any(cell.mark for one in columns for cell in one.cells):
            yield Text(f"  {MARK} {_UNSEEN}", "dim")
        if any(map(_has_open, run.table)):
            yield Text("  unknown: decided in code that lint does not read", "dim")
    if more:
        yield from [Text()] * bool(shown)
        text = f"{plural(more, 'table')} more of effective precision: --format json has them all"
        yield from (Text(line, "dim") for line in wrap(text, width))


def _column(part: table.Component, evidence: Evidence) -> Column:
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


def views(runs: Sequence[Run]) -> Iterator[View]:
    """Yield tables for a page, each with its evidence."""
    for run in runs[:_PAGE]:
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
    if len(runs) > _PAGE:
        more = plural(len(runs) - _PAGE, "table")
        yield Words(text=f"{more} more: --format json has them all", tone="dim")


def _shown_as(cell: table.Cell) -> ViewCell:
    dim = cell.value in ("unknown", "none", "off")
    return ViewCell(text=cell.value, tone="dim" if dim else "", note=_note(cell))


def _has_open(part: table.Component) -> bool:
    cells = (cell for _, cell in part.cells())
    return any(cell.value == "unknown" and not _note(cell) for cell in cells)


def _note(cell: table.Cell) -> str:
    """Return what decided a cell: a setting and its place, else the reason; empty if code decides."""
    if cell.by is not None:
        return f"{place(cell.by.entry.at.location)}  {cell.by.name}"
    return "" if cell.why == "decided in code" else cell.why
