"""A branch of a source as data: what decides it, and the lines that lie on each of its ways."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...core.event import ConditionKind
from ...core.syntax import names_set, nodes_of
from .changes import changes
from .words import hands_on, work_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """Lines that a branch leads to, the last one included; what is called there, and whether torch is.

    Who goes there from the branch may come by the lines from `lead` on. `matters`: what it sets is looked at behind it;
    `outlives`: also behind the function, for it is part of an object.
    """

    first: int
    last: int
    lead: int
    does: tuple[str, ...]
    torch: bool
    matters: bool = False
    outlives: bool = False

    @property
    def quiet(self) -> bool:
        """True if nothing is called there, so that it only passes values on."""
        return not self.does


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """A condition of the program, in a file.

    `asked` is what the condition looks at. `given` is what it is shown to be made to hold: the exception that a handler
    is for, the value that a case matches. None of these where it is true or false by itself.
    """

    file: str
    line: int
    text: str
    kind: ConditionKind
    sides: tuple[Side | None, Side | None]
    """The sides of the condition: false, then true."""
    asked: ast.expr | None = None
    given: ast.expr | None = None
    end: int = 0
    """The last line of the whole statement, all its sides included."""

    def order(self, *, taken: bool) -> int:
        """Return the order of exploration: periodic work, ends of epochs and loops, numbers, settings, all else."""
        if self.kind == "counter":
            return int("%" not in self.text)
        if self.kind == "value":
            return 2
        return 3 if self.kind == "flag" and taken else 4


Reads = Counter[str]
"""The number of reads of each name in a function."""


def side_of(body: Sequence[ast.stmt], lead: int, reads: Reads) -> Side | None:
    """Return the lines of a suite with work in it; None for one that ends with an error."""
    if not body or isinstance(body[-1], ast.Raise):
        return None
    last = int(body[-1].end_lineno or body[-1].lineno)
    return _side(body, _first(body[0]), last, lead, kept=_kept(body, reads))


def like_each_other(sides: Sequence[Side | None]) -> list[Side | None]:
    """Return the sides; if one changes an object, skipping it matters as much on the others."""
    if not any(one is not None and one.outlives for one in sides):
        return list(sides)
    return [one and replace(one, matters=True, outlives=True) for one in sides]


def side_within(
    part: ast.expr, statement: ast.stmt, last: int, reads: Reads
) -> Side | None:
    """Return the lines of a statement, up to `last`, with a part that is evaluated on one way only."""
    first = statement.lineno
    return _side([part], first, last, first, kept=_kept([statement], reads))


def reads_of(tree: ast.AST) -> Reads:
    """Return how often a function or a module reads each name."""
    names = nodes_of(tree, ast.Name)
    return Counter(one.id for one in names if isinstance(one.ctx, ast.Load))


def _kept(body: Sequence[ast.stmt], reads: Reads) -> set[str]:
    """Return the names that statements set and others look at; "" for what of an object is changed."""
    own = Counter[str]()
    kept: set[str] = set()
    for part in body:
        own.update(reads_of(part))
        kept |= names_set(part)
        kept |= {"" for _ in changes(part)}
    return {name for name in kept if not name or reads[name] > own[name]}


def _side(
    parts: Sequence[ast.AST], first: int, last: int, lead: int, *, kept: set[str]
) -> Side | None:
    does, torch = work_of(parts)
    if not (does or (kept and hands_on(parts))):
        return None
    return Side(
        first=first,
        last=last,
        lead=lead,
        does=does,
        torch=torch,
        matters=bool(kept),
        outlives="" in kept,
    )


def _first(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(one.lineno for one in decorators)])
