"""The table of effective precision as text: a column per component, a number beside each cell for what decided it.

effective precision  train.yaml, ds_config.json
                  adapter      base model
  parameters      float32 1    bfloat16 2
  compute         bfloat16 2   bfloat16 2
1  peft raises half adapters (autocast_adapter_dtype)
2  train.yaml:14:7  bf16
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from ..core.frozen import dataclass
from .wording import printable

_LABEL = 20
_GAP = 3
_COLUMNS = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A value under a respect ("optimizer states"), a mark behind it, and in one line what decided it."""

    respect: str
    value: str
    mark: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A component: all columns of a table have the same respects."""

    name: str
    cells: tuple[Cell, ...]


def matrix(table: Sequence[Column], about: str, width: int) -> Iterator[Text]:
    """Yield a table, as wide as a terminal usually is.

    Where its components do not fit side by side, in several parts.
    """
    width = min(width, _COLUMNS)
    title = Text.assemble(("effective precision", "bold"), (f"  {about}", "dim"))
    title.rstrip()
    title.truncate(width, overflow="ellipsis")
    yield title
    notes: dict[str, int] = {}
    for part in _parts(table, width, notes):
        yield from _part(part, notes)
    for note, number in notes.items():
        line = Text.assemble((f"  {number:<2} ", "cyan"), (note, "dim"))
        line.truncate(width, overflow="ellipsis")
        yield line


def _parts(
    table: Sequence[Column], width: int, notes: dict[str, int]
) -> Iterator[list[Column]]:
    """Yield the components in groups that fit side by side."""
    group: list[Column] = []
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


def _part(group: Sequence[Column], notes: dict[str, int]) -> Iterator[Text]:
    widths = [_width(component, notes) for component in group]
    names = "".join(
        f"{printable(c.name):{w}}" for c, w in zip(group, widths, strict=True)
    )
    yield Text(f"  {'':{_LABEL - 2}}{names}".rstrip(), "bold")
    for row, first in enumerate(group[0].cells):
        line = Text.assemble("  ", (f"{first.respect:{_LABEL - 2}}", "cyan"))
        for component, width in zip(group, widths, strict=True):
            cell = component.cells[row]
            number = notes.get(printable(cell.note))
            told = f" {number}" if number else ""
            value = printable(cell.value)
            line.append(value, "dim" if value in ("unknown", "none", "-") else "")
            line.append(cell.mark, "yellow")
            line.append(told, "cyan")
            line.append(" " * (width - len(value) - len(cell.mark) - len(told)))
        line.rstrip()
        yield line


def _width(component: Column, notes: dict[str, int]) -> int:
    """Return the width of a component's column; number the notes of its entries on the way."""
    widest = len(component.name)
    for cell in component.cells:
        note = printable(cell.note)
        number = notes.setdefault(note, len(notes) + 1) if note else 0
        told = len(f"{cell.value}{cell.mark}") + (len(f" {number}") if number else 0)
        widest = max(widest, told)
    return widest + _GAP
