"""The cells as a table: a row per configuration, a column per machine; a number names a finding, by its place.

matrix  train.py: 12 cells, 4 known from before
  --mixed_precision  --gradient_checkpointing  v100       a100
  no                 on                        ✓ 5.1 GiB  ✓ 5.1 GiB
  fp16               on                        1, 2       1
  bf16               on                        ✗ 3        ✓ 3.2 GiB
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from msgspec import Struct
from rich.text import Text

from ...report.lines import cut
from ...report.view import Cell, Grid, View, Words
from ...report.wording import plural, printable, size as spelled_size
from .cell import Axis
from .outcome import Outcome

_GAP = 2
_LEAST = 6
_NUMBERS = 3
_COLUMN = "machine"


class CellData(Struct, kw_only=True):
    """A combination; `findings` are indices of the report's, `status` is ok, found, impossible, failed or open."""

    settings: dict[str, str]
    status: str
    findings: tuple[int, ...]
    peak: int
    seconds: float
    known: bool
    unseen: str = ""
    said: str = ""
    surprise: str = ""


class MatrixData(Struct, kw_only=True):
    """The matrix as JSON: its axes with their labels, and its combinations."""

    target: str
    axes: dict[str, tuple[str, ...]]
    cells: tuple[CellData, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """The cells in their order, with the places of their findings, and what of them was not expected."""

    target: str
    axes: tuple[Axis, ...]
    outcomes: tuple[Outcome, ...]
    findings: tuple[tuple[int, ...], ...]
    surprises: tuple[str, ...]
    causes: tuple[int, ...]

    name = "matrix"

    def data(self) -> MatrixData:
        """Return each cell with its settings."""
        return MatrixData(
            target=self.target,
            axes={one.name: tuple(s.label for s in one.settings) for one in self.axes},
            cells=tuple(map(self._cell, range(len(self.outcomes)))),
        )

    def lines(self, width: int) -> Iterator[Text]:
        """Yield a text line per configuration; then what failed, and what was not expected."""
        about = f"  {printable(self.target)}: {self._count()}"
        yield Text.assemble(("matrix", "bold"), (about, "dim"))
        yield from _drawn(self._rows(), width)
        for label, text in self._unexpected():
            line = Text.assemble((f"  {label}  ", "yellow"), printable(text))
            line.truncate(max(width, 40), overflow="ellipsis")
            yield line

    def views(self) -> Iterator[View]:
        """Yield a table whose entries link to their findings; then what failed, and what was not expected."""
        head, rows = self._placed()
        heads = len(head) - len(rows[0][1]) if rows else 0
        cells = (
            (*(Cell(text=label) for label in labels), *map(self._shown, numbers))
            for labels, numbers in rows
        )
        yield Grid(
            title="Matrix",
            head=tuple(head),
            heads=heads,
            rows=tuple(cells),
            note=f"{self.target}: {self._count()}",
        )
        for label, text in self._unexpected():
            yield Words(label=label, text=text, tone="warn")

    def _count(self) -> str:
        known = sum(outcome.known for outcome in self.outcomes)
        before = f", {known} from the cache" if known else ""
        return plural(len(self.outcomes), "combination") + before

    def _unexpected(self) -> Iterator[tuple[str, str]]:
        """Yield a label and a text for each outcome that failed or surprises, but for findings: these stand below."""
        for outcome, surprise in zip(self.outcomes, self.surprises, strict=True):
            if surprise and (outcome.failed or not outcome.findings):
                label = "failed" if outcome.failed else "unexpected result"
                yield label, f"{outcome.cell.said}: {surprise}"

    def _rows(self) -> list[list[str]]:
        head, rows = self._placed()
        return [
            head,
            *(
                [*labels, *("" if n is None else self._mark(n) for n in numbers)]
                for labels, numbers in rows
            ),
        ]

    def _placed(
        self,
    ) -> tuple[list[str], list[tuple[tuple[str, ...], list[int | None]]]]:
        """Return the head, and for each row its labels and the numbers of its outcomes."""
        down = [one.name for one in self.axes if one.name != _COLUMN]
        rows: dict[tuple[str, ...], dict[str, int]] = {}
        columns: dict[str, None] = {}
        for number, outcome in enumerate(self.outcomes):
            labels = outcome.cell.labels
            column = labels.get(_COLUMN, "")
            columns[column] = None
            rows.setdefault(tuple(map(labels.__getitem__, down)), {})[column] = number
        placed = [(row, [*map(of.get, columns)]) for row, of in rows.items()]
        return [*down, *columns], placed

    def _shown(self, number: int | None) -> Cell:
        if number is None:
            return Cell(text="")
        outcome, surprise = self.outcomes[number], self.surprises[number]
        causes = (n for n in self.findings[number] if n in self.causes)
        found = tuple((str(self.causes.index(n) + 1), n) for n in causes)
        peak = _gib(outcome.peak)
        match _status(outcome):
            case "impossible":
                return Cell(text="✗", tone="bad", note="impossible", findings=found)
            case "found" if not surprise:
                return Cell(text="✓", tone="good", note="as expected", findings=found)
            case "found":
                return Cell(text="", tone="bad", note=peak, findings=found)
            case "ok" if surprise:
                return Cell(text="!", tone="warn", note=surprise)
            case "ok":
                return Cell(text="✓", tone="good", note=peak)
            case "open":
                return Cell(text="·", tone="dim", note="not run")
        return Cell(text="failed", tone="warn", note=outcome.unseen)

    def _mark(self, number: int) -> str:
        shown = self._shown(number)
        causes = [text for text, _ in shown.findings]
        more = " …" if len(causes) > _NUMBERS else ""
        numbers = ", ".join(causes[:_NUMBERS]) + more
        held = _status(self.outcomes[number]) == "ok"
        peak = _gib(self.outcomes[number].peak) if held else ""
        return f"{shown.text} {numbers}{peak}".strip()

    def _cell(self, number: int) -> CellData:
        outcome = self.outcomes[number]
        return CellData(
            settings=outcome.cell.labels,
            status=_status(outcome),
            findings=self.findings[number],
            peak=outcome.peak,
            seconds=round(outcome.seconds, 2),
            known=outcome.known,
            unseen=outcome.unseen,
            said=outcome.said,
            surprise=self.surprises[number],
        )


def _status(outcome: Outcome) -> str:
    if outcome.impossible:
        return "impossible"
    if outcome.findings:
        return "found"
    if outcome.unseen:
        return "failed"
    return "ok" if outcome.report is not None else "open"


def _gib(size: int) -> str:
    return spelled_size(size, 1) if size else ""


def _drawn(rows: Sequence[Sequence[str]], width: int) -> Iterator[Text]:
    """Yield columns as wide as their longest word; if that is too wide, names of axes are cut, the longest first."""
    columns = [*zip(*rows, strict=True)]
    widths = [max(map(len, column)) for column in columns]
    least = [max([_LEAST, *map(len, column[1:])]) for column in columns]
    while sum(widths) + _GAP * len(widths) > width and widths != least:
        room = [now - low for now, low in zip(widths, least, strict=True)]
        widths[room.index(max(room))] -= 1
        if max(room) <= 0:
            break
    for number, row in enumerate(rows):
        line = Text("  ")
        for word, size in zip(row, widths, strict=True):
            style = "cyan" if number == 0 else _style(word)
            line.append(f"{cut(word, size):{size + _GAP}}", style)
        line.rstrip()
        yield line


def _style(word: str) -> str:
    styles: Mapping[str, str] = {"✓": "green", "✗": "red", "!": "yellow", "·": "dim"}
    return styles.get(word[:1], "red" if word == "failed" else "")
