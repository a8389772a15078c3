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

from collections.abc import Iterator, Sequence
from typing import TextIO

from rich.text import Text

from ..report.page import Page, plain
from ..report.paragraph import paragraph
from ..report.paragraphs import tally
from ..report.wording import plural
from . import Outcome
from .matrix import matrix
from .run import Run

WIDTH = 100
_TABLES = 2
"""Tables that are printed at most: of what was found fault with, or of all, if they are no more."""
_COLUMNS = 80


def as_text(outcome: Outcome, *, width: int = WIDTH) -> str:
    """The findings and the tables without colour."""
    return plain(_lines(outcome, width))


def show(outcome: Outcome, file: TextIO) -> None:
    """Print them: in colour on a terminal, plain where it is piped."""
    page = Page(file, width=WIDTH)
    page.put(_lines(outcome, page.width))


def _lines(outcome: Outcome, width: int) -> Iterator[Text]:
    findings = outcome.report.findings
    for finding in findings:
        yield from (*paragraph(finding, (), width), Text())
    tables = [run for run in outcome.runs if run.table]
    shown = _shown(outcome, tables)
    for run in shown:
        yield from (*matrix(run, min(width, _COLUMNS)), Text())
    if len(tables) > len(shown):
        more = plural(len(tables) - len(shown), "table")
        yield from (
            Text(
                f"{more} of effective precision more: --format json has them all", "dim"
            ),
            Text(),
        )
    yield _summary(outcome)
    if findings:
        yield Text(f"a rule's page: miscast rules {findings[0].rule}", "dim")


def _shown(outcome: Outcome, tables: Sequence[Run]) -> Sequence[Run]:
    """The tables that are printed."""
    found = {finding.location.file for finding in outcome.report.findings}
    if found:
        return [run for run in tables if found.intersection(run.files)][:_TABLES]
    return tables if len(tables) <= _TABLES else ()


def _summary(outcome: Outcome) -> Text:
    machine = outcome.report.machine
    parts = [
        f"{plural(outcome.read, 'configuration')} read",
        f"{outcome.skipped:,} other files skipped",
        "no --machine given: hardware was not judged"
        if machine == "unspecified"
        else f"on {machine}",
    ]
    if outcome.broken:
        parts.append(f"{plural(len(outcome.broken), 'file')} could not be read")
    return Text.assemble(tally(outcome.report.findings), " · ", ", ".join(parts))
