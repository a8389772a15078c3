"""The parts of a JSON report that only `lint` has; imported only for JSON, with msgspec."""

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
    """Counts of files read and skipped, and broken files."""

    read: int
    skipped: int
    broken: tuple[BrokenFile, ...]


class DecidingSetting(Struct, kw_only=True):
    """The setting that decided an entry, and its place."""

    key: str
    file: str
    line: int
    column: int
    value: str


class Cell(Struct, kw_only=True):
    """An effective precision, and the evidence for it.

    `measured`: a training run had the value, decided by the same setting or reason; `declared`: only a source says so.
    """

    value: str
    setting: DecidingSetting | None
    why: str
    evidence: Literal["measured", "declared", "none"]


class Table(Struct, kw_only=True):
    """The effective precision of one run, by component and kind of tensor, and the evidence for it."""

    files: tuple[str, ...]
    systems: tuple[str, ...]
    evidence: str
    components: dict[str, dict[str, Cell]]


def counted(files: Files) -> FileCounts:
    """Return the counts, and each broken file with its reason."""
    return taken(FileCounts, files)


def tabled(run: Run) -> Table:
    """Return a run's table of effective precision."""
    evidence = of(run)
    return Table(
        files=run.files,
        systems=tuple(view.system.name for view in run.views),
        evidence=evidence.summary,
        components={
            part.name: {
                respect.replace(" ", "_"): _cell(
                    cell, evidence.cell(part.name, respect, cell)
                )
                for respect, cell in part.cells()
            }
            for part in run.table
        },
    )


def _cell(cell: Decided, evidence: Kind) -> Cell:
    by = cell.by
    setting = None
    if by is not None:
        setting = taken(DecidingSetting, by.entry.at, key=by.name, value=by.entry.text)
    return Cell(value=cell.value, setting=setting, why=cell.why, evidence=evidence)
