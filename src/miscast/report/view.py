"""Rich views of a section as data: tables, bars, curves, a patch.

    def views(self) -> Iterator[View]:
        yield Grid(title="matrix", head=("machine", "fp16"), rows=((Cell(text="v100"), Cell(text="1", tone="bad")),))

A section that has none is shown as the lines that it has as text.
"""

from __future__ import annotations

from typing import Literal

from ..core.frozen import dataclass

Tone = Literal["", "good", "bad", "warn", "dim"]
Points = tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """A paragraph; `verbatim` keeps its lines as they are."""

    text: str
    label: str = ""
    tone: Tone = ""
    verbatim: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A cell of a table. `note` says in a line why it is so, `findings` are words with places in the report's."""

    text: str
    tone: Tone = ""
    note: str = ""
    findings: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A table: the first `heads` cells of a row head it."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    heads: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A number as it is told, what it is of, more to say of it, and how long its bar is, from 0 to 1; None: no bar."""

    number: str
    name: str
    told: str = ""
    length: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bars:
    """Numbers, each with its bar."""

    title: str
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """Something that happened at `x`."""

    x: float
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Curves:
    """Curves over one axis; `about` says in words what they show. What is not finite leaves a gap."""

    title: str
    about: str
    curves: tuple[tuple[str, Points], ...]
    x: str = "step"
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    """A unified diff."""

    title: str
    diff: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    """Something at a place from 0 to 1 on both axes (up and to the right), `size` from 0 to 1; `told` is all of it."""

    x: float
    y: float
    name: str
    told: str
    size: float = 0.0
    tone: Tone = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dots:
    """Points weighed against each other, with axis ends in words. `limit` is a value across."""

    title: str
    about: str
    dots: tuple[Dot, ...]
    across: tuple[str, str]
    up: tuple[str, str]
    limit: tuple[float, str] | None = None


View = Words | Grid | Bars | Curves | Dots | Patch
