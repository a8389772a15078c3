"""The table of effective precision: a column for each named module, and the line that set each value."""

from __future__ import annotations

from collections.abc import Sequence

from ...core.event import Precision
from ..precision import ROWS, by_component, note
from ..view import Cell, Grid

_COLUMNS = 4
_DIM = ("none", "off", "-", "unknown")


def tables(rows: Sequence[Precision]) -> list[Grid]:
    """Return the modules in groups that fit side by side."""
    components = list(by_component(rows).items())
    return [
        _table(components[first : first + _COLUMNS])
        for first in range(0, len(components), _COLUMNS)
    ]


def _table(components: Sequence[tuple[str, dict[str, Precision]]]) -> Grid:
    seen = [row for row in ROWS if any(row in aspects for _, aspects in components)]
    return Grid(
        title="",
        head=("", *(name for name, _ in components)),
        rows=tuple(
            (
                Cell(text=row.replace("_", " ")),
                *(_cell(aspects.get(row)) for _, aspects in components),
            )
            for row in seen
        ),
    )


def _cell(row: Precision | None) -> Cell:
    if row is None:
        return Cell(text="-", tone="dim")
    return Cell(text=row.dtype, tone="dim" if row.dtype in _DIM else "", note=note(row))
