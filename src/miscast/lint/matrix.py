"""The table of effective precision as text: a column per component, a number beside each cell for what decided it.

effective precision  train.yaml, ds_config.json
                  adapter      base model
  parameters      float32 1    bfloat16 2
  compute         bfloat16 2   bfloat16 2
1  peft raises half adapters (autocast_adapter_dtype)
2  train.yaml:14:7  bf16
declared: read off axolotl 0.19.0, not run
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from ..report.wording import path, place, printable
from .run import Run
from .table import Cell, Component

_LABEL = 20
_GAP = 3


def matrix(run: Run, width: int) -> Iterator[Text]:
    """A run's table, `width` characters wide: where its components do not fit side by side, in several parts."""
    files = ", ".join(path(file) for file in run.files)
    title = Text.assemble(("effective precision", "bold"), (f"  {files}", "dim"))
    title.truncate(width, overflow="ellipsis")
    yield title
    notes: dict[str, int] = {}
    for part in _parts(run.table, width, notes):
        yield from _part(part, notes)
    for note, number in notes.items():
        line = Text.assemble((f"  {number:<2} ", "cyan"), (note, "dim"))
        line.truncate(width, overflow="ellipsis")
        yield line
    if run.decides is not None:
        yield Text(f"  {printable(run.decides.evidence)}", "dim")
    if any(
        cell.value == "unknown" and not _note(cell)
        for part in run.table
        for _, cell in part.cells()
    ):
        yield Text("  unknown: decided in code, which is not read", "dim")


def _parts(
    table: Sequence[Component], width: int, notes: dict[str, int]
) -> Iterator[list[Component]]:
    """The components in groups that fit side by side."""
    group: list[Component] = []
    used = _LABEL
    for component in table:
        own = _width(component, notes)
        if group and used + own > width:
            yield group
            group, used = [], _LABEL
        group.append(component)
        used += own
    if group:
        yield group


def _part(group: Sequence[Component], notes: dict[str, int]) -> Iterator[Text]:
    widths = [_width(component, notes) for component in group]
    names = "".join(
        f"{printable(c.name):{w}}" for c, w in zip(group, widths, strict=True)
    )
    yield Text(f"  {'':{_LABEL - 2}}{names}".rstrip(), "bold")
    for row, (respect, _) in enumerate(group[0].cells()):
        line = Text.assemble("  ", (f"{respect:{_LABEL - 2}}", "cyan"))
        for component, width in zip(group, widths, strict=True):
            cell = component.cells()[row][1]
            number = notes.get(_note(cell))
            told = f" {number}" if number else ""
            value = printable(cell.value)
            line.append(value, "dim" if value in ("unknown", "none") else "")
            line.append(told, "cyan")
            line.append(" " * (width - len(value) - len(told)))
        line.rstrip()
        yield line


def _width(component: Component, notes: dict[str, int]) -> int:
    """The width of a component's column; what decided its cells gets its numbers on the way."""
    widest = len(component.name)
    for _, cell in component.cells():
        note = _note(cell)
        number = notes.setdefault(note, len(notes) + 1) if note else 0
        widest = max(widest, len(cell.value) + (len(f" {number}") if number else 0))
    return widest + _GAP


def _note(cell: Cell) -> str:
    """What decided a cell: a setting and its place, or the reason where there is none; empty where code decides."""
    if cell.by is not None:
        return printable(f"{place(cell.by.entry.at.location)}  {cell.by.name}")
    return "" if cell.why == "decided in code" else printable(cell.why)
