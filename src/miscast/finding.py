"""What Miscast tells a person: a finding with its labelled places, and the fixes that it offers."""

from __future__ import annotations

from typing import Literal

from .event import Event, Location, Operand, Phase
from .frozen import dataclass

Severity = Literal["error", "warning", "hint"]
Subject = Literal["dtype", "device"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """Lines `start_line` to `end_line` (1-based, inclusive) of `file` become `replacement`."""

    file: str
    start_line: int
    end_line: int
    replacement: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """A way out. `safe` only if it cannot make numbers worse; `verified` only if the check was run again with it.

    At least until some way behind the finding, which was gone, and nothing had come.
    """

    title: str
    safe: bool = False
    verified: bool = False
    edits: tuple[Edit, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Related:
    """Another place that belongs to the finding, with what happened there."""

    label: str
    location: Location


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedCause:
    """What may have led to an error, with what speaks for it."""

    name: str
    text: str
    evidence: tuple[str, ...] = ()
    weight: float = 0.0
    """Between 0 and 1; the causes of a finding add up to 1 at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One mistake: what, where, why, help.

    `about` says whether the operands' dtypes or devices are at odds. `consequence_of` is the index of the finding that
    caused this one; `count` how often the call was met. `operands` are those at odds; `blamed` names the one whose
    mistake it is, `wanted` is the dtype or device that it should have. `callers` are the user's lines that led to
    `location`, the nearest first. `error` is torch's own text, `raises` the type of exception that carries it. `ranks`
    are those that it concerns, where several ran, `arguments` those of the program with which it was found, where it
    was run with other ones, too. `cells` says in words which of a matrix show it.

    Of an error that was read in a text or off an exception, `rule` is its kind ("dtype-mismatch"), `error` the message
    in one line and `pattern` the name of what it was recognised by. `guessed`: neither the message nor the frames name
    the op, it is the usual one. `library` raised it, or it came about in its code. `lines` are the first and the last
    line of the log that tell of it, from 1; `said_by` who did, where lines carry a rank or a node's name.
    """

    rule: str
    severity: Severity
    message: str
    op: str
    phase: Phase
    location: Location
    about: Subject = "dtype"
    operands: tuple[Operand, ...] = ()
    related: tuple[Related, ...] = ()
    consequence_of: int | None = None
    fixes: tuple[Fix, ...] = ()
    error: str = ""
    raises: str = "RuntimeError"
    count: int = 1
    blamed: str = ""
    wanted: str = ""
    callers: tuple[Location, ...] = ()
    ranks: tuple[int, ...] = ()
    arguments: tuple[str, ...] = ()
    cells: str = ""
    causes: tuple[RankedCause, ...] = ()
    pattern: str = ""
    guessed: bool = False
    library: str = ""
    lines: tuple[int, int] = (0, 0)
    said_by: tuple[str, ...] = ()
    fingerprint: str = ""
    """What it is known by, where that was taken among others that are not told any more."""

    @property
    def category(self) -> str:
        """Of an error that was explained, its kind."""
        return self.rule

    @property
    def help(self) -> tuple[str, ...]:
        """What to change, in words."""
        return tuple(fix.title for fix in self.fixes)

    def value(self, one: Operand | Event) -> str:
        """The dtype, or the device, of an operand, or that an event gave: what this finding is about."""
        return one.device if self.about == "device" else one.dtype

    def origin(self, operand: Operand) -> Event | None:
        """What gave an operand the dtype, or the device, that this finding is about."""
        return operand.device_origin if self.about == "device" else operand.dtype_origin
