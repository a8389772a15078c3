"""What `lint` found, as text.

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

from collections import Counter
from collections.abc import Iterator
from io import StringIO
from typing import TextIO

from rich.console import Console
from rich.text import Text

from ..report.paragraph import paragraph
from ..report.wording import plural
from . import Outcome
from .matrix import matrix

WIDTH = 100
_TABLES = 2
"""Tables that are printed at most: of what was found fault with, or of all, if they are no more."""
_COLUMNS = 80
_COLOURS = {"error": "bold red", "warning": "bold yellow", "hint": "bold cyan"}


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
    tail = f" · {plural(outcome.read, 'configuration')} read, {outcome.skipped:,} other files skipped"
    machine = outcome.report.machine
    tail += f", on {machine}" if machine != "unspecified" else ", no --machine given: hardware was not judged"
    if outcome.broken:
        tail += f", {plural(len(outcome.broken), 'file')} could not be read"
    return Text.assemble((", ".join(parts), colour), tail)
