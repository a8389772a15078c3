"""What is told of an error: frozen data, as the formats show it. Schema 1."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..ops import Role


@dataclass(frozen=True, slots=True, kw_only=True)
class OriginEvent:
    """A line that gave a tensor its dtype or device; known of an exception at hand, never of a text."""

    how: str
    """"born by torch.ones", "cast by nn.Module.half", "set" by an op that keeps the dtype."""
    dtype: str
    device: str
    file: str
    line: int
    code: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OperandInfo:
    """One operand, as far as the message tells; and what the tensor itself tells, where an exception is at hand."""

    name: str
    role: Role = ""
    dtype: str | None = None
    device: str | None = None
    shape: tuple[int, ...] | None = None
    path: str = ""
    """Of a parameter, the module's path to it: "unet.conv_in.weight"; else the user's own name for the tensor."""
    since: tuple[OriginEvent, ...] = ()
    """The newest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The user's line, or, where no line is the user's, the innermost one of a library."""

    file: str
    line: int | None = None
    function: str = ""
    code: str = ""
    library: str = ""
    """The library that raised, or in whose code the error came about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedCause:
    """A cause, with what speaks for it."""

    name: str
    text: str
    evidence: tuple[str, ...] = ()
    weight: float = 0.0
    """Between 0 and 1; the causes of an explanation add up to 1 at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """One error, however often it stands in the log."""

    category: str
    error: str
    """The message, in one line."""
    pattern: str
    """The pattern's name (`patterns/`)."""
    op: str | None = None
    guessed: bool = False
    """The message and the frames do not name the op: it is the usual one."""
    operands: tuple[OperandInfo, ...] = ()
    location: Place | None = None
    causes: tuple[RankedCause, ...] = ()
    help: tuple[str, ...] = ()
    count: int = 1
    module: str = ""
    """The path of the nn.Module at work, where an exception is at hand."""
    ranks: tuple[str, ...] = ()
    """Who said it, where lines carry a rank."""
    lines: tuple[int, int] = (0, 0)
    """The first and the last line that tell of it, from 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanations:
    """What a log or an exception tells, each error once, in order; as text, or as HTML in a notebook."""

    found: tuple[Explanation, ...]

    def __bool__(self) -> bool:
        return bool(self.found)

    def __len__(self) -> int:
        return len(self.found)

    def __iter__(self) -> Iterator[Explanation]:
        return iter(self.found)

    def __getitem__(self, index: int) -> Explanation:
        return self.found[index]

    def __str__(self) -> str:
        from .text import render

        return render(self.found)

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        printer.text(str(self))  # IPython in a terminal

    def _repr_html_(self) -> str:
        import html

        return f'<pre style="line-height:1.3">{html.escape(str(self))}</pre>'
