"""What `lint` found, as text or JSON.

error[both-half-dtypes]  fp16 and bf16 are both on
  train.yaml:3:7  fp16: true
  and train.yaml:4:7  bf16: true
  help    keep bf16 on Ampere and later, fp16 before: set the other to false
  effect  ValueError: At most one of fp16 and bf16 can be True, but not both

effective precision  train.yaml
                  model
  parameters      float32 1
  compute         float16 2
  1  default of …
  2  train.yaml:3:7  fp16
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
from ..report.paragraph import paragraph
from ..report.wording import plural
from . import Outcome
from .matrix import matrix
from .run import Run
from .table import Cell

WIDTH = 100
_TABLES = 2
"""Tables that are printed at most: of what was found fault with, or of all, if they are no more."""
_COLUMNS = 80
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
    tables = [run for run in outcome.runs if run.table]
    found = {finding.location.file for finding in outcome.report.findings}
    shown = [run for run in tables if found.intersection(run.files)] if found else tables
    for run in shown[:_TABLES] if found or len(tables) <= _TABLES else ():
        yield from matrix(run, min(width, _COLUMNS))
        yield Text()
    left = len(tables) - (min(len(shown), _TABLES) if found or len(tables) <= _TABLES else 0)
    if left:
        yield Text(f"{plural(left, 'table')} of effective precision more: --format json has them all", "dim")
        yield Text()
    yield _summary(outcome)
    if outcome.report.findings:
        yield Text(f"a rule's page: miscast rules {outcome.report.findings[0].rule}", "dim")


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
