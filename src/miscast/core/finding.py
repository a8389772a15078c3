"""Data of Miscast's reports: a finding with its labelled places, and the fixes that it offers."""

from __future__ import annotations

from typing import Literal

from .event import Event, Location, Operand, Phase
from .frozen import dataclass

Severity = Literal["error", "warning", "hint"]
Subject = Literal["dtype", "device"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """A change of source code: `replacement` takes the place of some lines of a file.

    Attributes:
        file: The path of the file.
        start_line: The first line, from 1.
        end_line: The last line, inclusive.
        replacement: The new text.
    """

    file: str
    start_line: int
    end_line: int
    replacement: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """A way to fix a finding.

    Attributes:
        title: The fix in words.
        safe: Whether it changes no value of the program.
        verified: Whether the check was run again with it: the finding was gone, and no new one came.
        edits: The changes of the source, if Miscast can write them.
        insufficient: Whether the check was run again with it, and the finding stayed or led to another.
    """

    title: str
    safe: bool = False
    verified: bool = False
    edits: tuple[Edit, ...] = ()
    insufficient: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Related:
    """Another line that belongs to a finding.

    Attributes:
        label: What happened there.
        location: The line.
    """

    label: str
    location: Location


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedCause:
    """A possible cause of an explained error.

    Attributes:
        name: The id of the cause.
        text: The cause in words.
        evidence: What in the text or exception supports it.
        weight: Between 0 and 1. The weights of a finding's causes add up to at most 1.
    """

    name: str
    text: str
    evidence: tuple[str, ...] = ()
    weight: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One mistake, with its place, its cause and its fixes.

    Attributes:
        rule: The id of the rule. For an explained error its kind, such as "dtype-mismatch".
        severity: "error", "warning" or "hint".
        message: The mistake in one line.
        op: The op that fails, such as "conv2d".
        phase: "program", "forward", "backward" or "optimizer".
        location: The line of the op in the user's code.
        about: Whether dtypes or devices mismatch: "dtype" or "device".
        operands: The mismatching operands.
        related: Other lines that belong to it.
        consequence_of: The index of the finding that caused this one.
        fixes: Ways to fix it, the best one first.
        error: The message that torch raises, on one line for an explained error.
        raises: The type of the exception.
        count: How many times the call was made.
        blamed: The name of the operand that is wrong.
        wanted: The dtype or device that this operand should have.
        callers: The user's lines that led to `location`, the nearest one first.
        ranks: The ranks that it concerns, if several ran.
        arguments: The arguments of the program that show it, if it ran with several sets.
        cells: The combinations of a matrix that show it, in words.
        causes: Possible causes of an explained error.
        pattern: The name of the pattern that recognised an explained error.
        guessed: Whether the op is only the usual one, because neither the message nor the frames name it.
        library: The library that raised the error, or in whose code it arose.
        lines: The first and last line of the log that report it, from 1.
        said_by: The ranks or nodes whose log lines report it.
        fingerprint: The id that it had among findings that are no longer in the report; else "".
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

    @property
    def category(self) -> str:
        """The kind of an explained error: its `rule`."""
        return self.rule

    @property
    def help(self) -> tuple[str, ...]:
        """The titles of the fixes."""
        return tuple(fix.title for fix in self.fixes)

    @property
    def blamed_operand(self) -> Operand | None:
        """The operand that is wrong, where the op's operands are known."""
        return next((o for o in self.operands if o.name == self.blamed), None)

    def value(self, one: Operand | Event) -> str:
        """Return the dtype or device of an operand or event, whichever this finding is about."""
        return one.device if self.about == "device" else one.dtype

    def origin(self, operand: Operand) -> Event | None:
        """Return the event that gave an operand the dtype or device that this finding is about."""
        return operand.device_origin if self.about == "device" else operand.dtype_origin
