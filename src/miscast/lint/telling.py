"""What `lint` found, as text or JSON.

error[both-half-dtypes]  fp16 and bf16 are both on
  train.yaml:3:7  fp16: true
  and train.yaml:4:7  bf16: true
  help    keep bf16 on Ampere and later, fp16 before: set the other to false
  effect  ValueError: At most one of fp16 and bf16 can be True, but not both

model (train.yaml)
  parameters        float32    default of …
  compute           float16    train.yaml:3:7 fp16
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from io import StringIO
from typing import Any, TextIO

from rich.console import Console
from rich.text import Text

from ..report import json as schema
from ..report.paragraphs import paragraph
from ..report.wording import path, place, plural, printable
from . import Outcome
from .run import Run
from .table import Cell

WIDTH = 100
_TABLES = 4
_COLOURS = {"error": "bold red", "warning": "bold yellow", "hint": "bold cyan"}


def as_json(outcome: Outcome) -> str:
    """The findings in the schema of `check`, the tables beside them."""
    data: dict[str, Any] = json.loads(schema.render(outcome.report))
    data["tables"] = [_table(run) for run in outcome.runs if run.table]
    data["files"] = {
        "read": outcome.files - outcome.skipped - len(outcome.broken),
        "skipped": outcome.skipped,
        "broken": [{"file": b.file, "line": b.line, "column": b.column, "reason": b.reason} for b in outcome.broken],
    }
    return json.dumps(data, indent=2, ensure_ascii=False)


def _table(run: Run) -> dict[str, Any]:
    return {
        "files": list(run.files),
        "systems": [view.system.name for view in run.views],
        "components": {
            part.name: {name.replace(" ", "_"): _cell(cell) for name, cell in part.cells()} for part in run.table
        },
    }


def _cell(cell: Cell) -> dict[str, Any]:
    setting = cell.by
    if setting is None:
        return {"value": cell.value, "setting": None, "why": cell.why}
    at = setting.entry.at
    decided = {"key": setting.name, "file": at.file, "line": at.line, "column": at.column, "value": setting.entry.text}
    return {"value": cell.value, "setting": decided, "why": cell.why}


def as_text(outcome: Outcome, *, width: int = WIDTH) -> str:
    """The findings and the tables without colour."""
    out = StringIO()
    _print(outcome, Console(file=out, width=width, color_system=None, force_terminal=False, force_jupyter=False))
    return out.getvalue()


def show(outcome: Outcome, file: TextIO) -> None:
    """Print them: in colour on a terminal, plain where it is piped."""
    console = Console(file=file, force_jupyter=False)
    if not console.is_terminal:
        console = Console(file=file, width=WIDTH, color_system=None, force_jupyter=False)
    _print(outcome, console)


def _print(outcome: Outcome, console: Console) -> None:
    for line in _lines(outcome, console.width):
        line.rstrip()
        console.print(line, soft_wrap=True, highlight=False)


def _lines(outcome: Outcome, width: int) -> Iterator[Text]:
    for finding in outcome.report.findings:
        yield from paragraph(finding, (), width)
        yield Text()
    shown = [run for run in outcome.runs if run.table]
    for run in shown[:_TABLES]:
        yield from _rows(run, width)
    if len(shown) > _TABLES:
        yield Text(f"{plural(len(shown) - _TABLES, 'more table')}: --format json has them all", "dim")
        yield Text()
    yield _summary(outcome)
    if outcome.report.findings:
        yield Text(f"a rule's page: miscast rules {outcome.report.findings[0].rule}", "dim")


def _rows(run: Run, width: int) -> Iterator[Text]:
    """One block per component: each respect, its value, and what decided it."""
    names = ", ".join(path(file) for file in run.files[:3])
    for part in run.table:
        yield Text.assemble((printable(part.name), "bold"), (f"  {names}", "dim"))
        cells = part.cells()
        widest = max(len(cell.value) for _, cell in cells)
        for name, cell in cells:
            by = _told(cell)
            line = Text.assemble("  ", (f"{name:17}", "cyan"), f" {printable(cell.value):{widest}}  ", (by, "dim"))
            line.truncate(width, overflow="ellipsis")
            yield line
        yield Text()


def _told(cell: Cell) -> str:
    if cell.by is None:
        return printable(cell.why)
    why = f" ({cell.why})" if cell.why else ""
    return printable(f"{place(cell.by.entry.at.location)} {cell.by.name}{why}")


def _summary(outcome: Outcome) -> Text:
    kinds = Counter(finding.severity for finding in outcome.report.findings)
    parts = [plural(kinds[kind], kind) for kind in ("error", "warning", "hint") if kinds[kind]] or ["nothing found"]
    colour = _COLOURS["error"] if kinds["error"] else _COLOURS["warning"] if kinds else "bold green"
    read = outcome.files - outcome.skipped - len(outcome.broken)
    tail = f" · {plural(read, 'configuration')} read, {outcome.skipped:,} other files skipped"
    machine = outcome.report.machine
    tail += f", on {machine}" if machine != "unspecified" else ", no --machine given: hardware was not judged"
    if outcome.broken:
        tail += f", {plural(len(outcome.broken), 'file')} could not be read"
    return Text.assemble((", ".join(parts), colour), tail)
