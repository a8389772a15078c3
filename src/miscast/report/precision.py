"""Report the precision that a run used: a line per component, and the whole table.

model  parameters, gradients, optimizer states float32; compute, outputs bfloat16; autocast bfloat16 at train.py:12
vae    float16 throughout; not trained
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..core.event import Precision
from ..core.frozen import dataclass
from ..core.meeting import ranks
from .wording import place

if TYPE_CHECKING:
    from rich.text import Text

ROWS = (
    "parameters", "compute", "gradients", "accumulation", "reduction", "optimizer_states",
    "buffers", "outputs", "autocast", "loss_scaling", "attention", "tf32",
)  # fmt: skip
"""The respects, in the order of `lint`'s table."""
_DTYPES = ("parameters", "compute", *ROWS[2:6], "outputs")


def in_short(rows: Sequence[Precision]) -> Iterator[str]:
    """Yield a line for each component."""
    for name, aspects in by_component(rows).items():
        yield f"{name}: {_told(aspects)}"


def by_component(rows: Sequence[Precision]) -> dict[str, dict[str, Precision]]:
    """Return the rows by named module, or by module and ranks, and by aspect."""
    found: dict[str, dict[str, Precision]] = {}
    for row in rows:
        name = f"{row.component}, {ranks(row.ranks)}" if row.ranks else row.component
        found.setdefault(name, {})[row.aspect] = row
    return found


def _told(aspects: dict[str, Precision]) -> str:
    by_value: dict[str, list[str]] = {}
    for aspect in _DTYPES:
        if aspect in aspects and aspects[aspect].dtype != "none":
            by_value.setdefault(aspects[aspect].dtype, []).append(_spelled(aspect))
    values = list(by_value)
    if len(values) == 1 and "," not in values[0]:
        told = f"{values[0]} throughout"
    else:
        told = "; ".join(
            f"{', '.join(what)} {value}" for value, what in by_value.items()
        )
    return told + "".join(_also(aspects))


def _also(aspects: dict[str, Precision]) -> Iterator[str]:
    """Yield what else is important in short: settings that are on."""
    autocast = aspects.get("autocast")
    if autocast is not None and autocast.dtype != "off":
        at = f" at {place(autocast.decided_by)}" if autocast.decided_by else ""
        yield f"; autocast {autocast.dtype}{at}"
    scaling = aspects.get("loss_scaling")
    if scaling is not None and scaling.dtype != "off":
        yield f"; loss scaling {scaling.dtype}"
    gradients = aspects.get("gradients")
    if gradients is not None and gradients.dtype == "none":
        yield "; not trained"


def _spelled(aspect: str) -> str:
    return aspect.replace("_", " ")


@dataclass(frozen=True, slots=True, kw_only=True)
class ObservedPrecision:
    """The whole table; its data are in every report."""

    rows: tuple[Precision, ...]

    name = "precision_table"

    def data(self) -> None:
        """Return None, as the report has all the data."""

    def lines(self, width: int) -> Iterator[Text]:
        """Yield the table in the style of `lint`'s prediction; "-" was not seen."""
        from .matrix import Cell, Column, matrix

        components = by_component(self.rows)
        seen = [
            aspect
            for aspect in ROWS
            if any(aspect in aspects for aspects in components.values())
        ]
        columns = [
            Column(
                name=name,
                cells=tuple(
                    Cell(
                        respect=_spelled(aspect),
                        value=aspects[aspect].dtype if aspect in aspects else "-",
                        note=note(aspects.get(aspect)),
                    )
                    for aspect in seen
                ),
            )
            for name, aspects in components.items()
        ]
        if columns:
            yield from matrix(columns, "as observed", width)


def note(row: Precision | None) -> str:
    """Return the line that decided it, with its code."""
    if row is None or row.decided_by is None:
        return ""
    return f"{place(row.decided_by)}  {row.decided_by.code}".rstrip()
