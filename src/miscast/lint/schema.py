"""What `lint` adds to a report in JSON, and how it is filled; msgspec, which no text needs, is imported with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from ..report.json import taken
from .evidence import of

if TYPE_CHECKING:
    from .evidence import Kind
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
    """An effective precision, and what it rests on.

    `measured`: a real training had it, decided by the same setting or reason; `declared`: it is read off a source.
    """

    value: str
    setting: DecidingSetting | None
    why: str
    evidence: Literal["measured", "declared", "none"]


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
    rests = of(run)
    return Table(
        files=run.files,
        systems=tuple(view.system.name for view in run.views),
        evidence=rests.told,
        components={
            part.name: {
                respect.replace(" ", "_"): _cell(
                    cell, rests.cell(part.name, respect, cell)
                )
                for respect, cell in part.cells()
            }
            for part in run.table
        },
    )


def _cell(cell: Decided, evidence: Kind) -> Cell:
    by = cell.by
    setting = (
        None
        if by is None
        else taken(DecidingSetting, by.entry.at, key=by.name, value=by.entry.text)
    )
    return Cell(value=cell.value, setting=setting, why=cell.why, evidence=evidence)
