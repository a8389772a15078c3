"""What `lint` adds to a report in JSON, and how it is filled; msgspec, which no text needs, is imported with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from ..report.json import taken

if TYPE_CHECKING:
    from .files import Files
    from .run import Run
    from .table import Cell as Decided


class BrokenFile(Struct, kw_only=True):
    """A file that could not be read."""

    file: str
    line: int
    column: int
    reason: str


class FileCounts(Struct, kw_only=True):
    """How many files were read, and what became of the others."""

    read: int
    skipped: int
    broken: tuple[BrokenFile, ...]


class DecidingSetting(Struct, kw_only=True):
    """What decided a cell, and where it stands."""

    key: str
    file: str
    line: int
    column: int
    value: str


class Cell(Struct, kw_only=True):
    """An effective precision."""

    value: str
    setting: DecidingSetting | None
    why: str


class Table(Struct, kw_only=True):
    """The effective precision of one run: by component, by respect; `evidence` is what it rests on."""

    files: tuple[str, ...]
    systems: tuple[str, ...]
    evidence: str
    components: dict[str, dict[str, Cell]]


def counted(files: Files) -> FileCounts:
    """The counts, and each broken file with its reason."""
    return taken(FileCounts, files)


def tabled(run: Run) -> Table:
    """A run's table of effective precision."""
    return Table(
        files=run.files,
        systems=tuple(view.system.name for view in run.views),
        evidence=run.decides.evidence if run.decides else "",
        components={
            part.name: {
                respect.replace(" ", "_"): _cell(cell) for respect, cell in part.cells()
            }
            for part in run.table
        },
    )


def _cell(cell: Decided) -> Cell:
    if cell.by is None:
        return Cell(value=cell.value, setting=None, why=cell.why)
    entry = cell.by.entry
    setting = taken(DecidingSetting, entry.at, key=cell.by.name, value=entry.text)
    return Cell(value=cell.value, setting=setting, why=cell.why)
