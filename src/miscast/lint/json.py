"""What `lint` found as JSON: the report of `check` in schema 1, with the tables and the files beside it."""

from __future__ import annotations

from msgspec import Struct

from ..report import schema
from ..report.json import document, dumps, taken
from . import Outcome, table
from .run import Run


class Setting(Struct, kw_only=True):
    """What decided a cell, and where it stands."""

    key: str
    file: str
    line: int
    column: int
    value: str


class Cell(Struct, kw_only=True):
    """An effective precision."""

    value: str
    setting: Setting | None
    why: str


class Table(Struct, kw_only=True):
    """The effective precision of one run: by component, by respect; `evidence` is what it rests on."""

    files: tuple[str, ...]
    systems: tuple[str, ...]
    evidence: str
    components: dict[str, dict[str, Cell]]


class Broken(Struct, kw_only=True):
    """A file that could not be read."""

    file: str
    line: int
    column: int
    reason: str


class Files(Struct, kw_only=True):
    """How many files were read, and what became of the others."""

    read: int
    skipped: int
    broken: tuple[Broken, ...]


class Report(schema.Report, kw_only=True):
    """What one call of `lint` found."""

    tables: tuple[Table, ...]
    files: Files


def render(outcome: Outcome) -> str:
    """The outcome as one JSON object."""
    tables = [_table(run) for run in outcome.runs if run.table]
    return dumps(
        document(Report, outcome.report, tables=tables, files=taken(Files, outcome))
    )


def _table(run: Run) -> Table:
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


def _cell(cell: table.Cell) -> Cell:
    if cell.by is None:
        return Cell(value=cell.value, setting=None, why=cell.why)
    entry = cell.by.entry
    setting = taken(Setting, entry.at, key=cell.by.name, value=entry.text)
    return Cell(value=cell.value, setting=setting, why=cell.why)
