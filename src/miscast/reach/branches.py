"""The branches of a source, and the source told apart at each: which way it went is called out, nothing else changes.

    if step % every == 0:   ->   if (taken(7) if step % every == 0 else passed(7)):

Every node keeps its place, so that tracebacks, `inspect` and what reads frames see the source as it stands on the disk.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from ..event import ConditionKind
from ..syntax import suites
from .words import kind_of, work_of

TAKEN, PASSED = "__miscast_taken__", "__miscast_passed__"
_LEAVE = (ast.Return, ast.Continue, ast.Break)


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """Lines that a branch leads to, the last one included; what is called there, and whether torch is."""

    first: int
    last: int
    does: tuple[str, ...]
    torch: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """A condition of the program, in a file."""

    file: str
    test: ast.expr
    kind: ConditionKind
    sides: tuple[Side | None, Side | None]
    """What lies where it does not hold, and where it does."""

    @property
    def line(self) -> int:
        """Where the condition stands."""
        return self.test.lineno

    @property
    def text(self) -> str:
        """The condition."""
        return ast.unparse(self.test)


def told_apart(tree: ast.Module, file: str, first: int) -> list[Branch]:
    """Change a module's syntax tree so that its branches call out, numbered from `first` on; return them."""
    work = _Apart(file, first)
    work.suite(tree.body)
    return work.found


class _Apart:
    def __init__(self, file: str, first: int) -> None:
        self._file, self._first = file, first
        self.found: list[Branch] = []

    def suite(self, body: Sequence[ast.stmt]) -> None:
        """Statements that follow each other."""
        for index, statement in enumerate(body):
            for part in _suites(statement):
                self.suite(part)
            if not isinstance(statement, (ast.If, ast.While)):
                continue
            rest: Sequence[ast.stmt] = ()
            if isinstance(statement, ast.If):
                leaves = isinstance(statement.body[-1], _LEAVE)
                rest = statement.orelse or (body[index + 1 :] if leaves else ())
            statement.test = self._asked(
                statement.test, _side(rest), _side(statement.body)
            )

    def _asked(
        self, test: ast.expr, passed: Side | None, taken: Side | None
    ) -> ast.expr:
        kind = kind_of(test)
        if isinstance(test, ast.Constant) or kind == "guard" or not (taken or passed):
            return test
        number = self._first + len(self.found)
        self.found.append(
            Branch(file=self._file, test=test, kind=kind, sides=(passed, taken))
        )
        taken_call, passed_call = _call(TAKEN, number), _call(PASSED, number)
        return _placed(ast.IfExp(test=test, body=taken_call, orelse=passed_call), test)


def _suites(statement: ast.stmt) -> list[list[ast.stmt]]:
    """The suites of a compound statement."""
    inner = (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ()))
    return [suite for node in (statement, *inner) for suite in suites(node)]


def _side(body: Sequence[ast.stmt]) -> Side | None:
    """The lines of a suite with work in it; of one that ends by an error there is none."""
    if not body or isinstance(body[-1], ast.Raise):
        return None
    does, torch = work_of(body)
    if not does:
        return None
    return Side(
        first=_first(body[0]),
        last=int(body[-1].end_lineno or body[-1].lineno),
        does=does,
        torch=torch,
    )


def _first(statement: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(one.lineno for one in decorators)])


def _call(name: str, number: int) -> ast.expr:
    return ast.Call(
        func=ast.Name(id=name, ctx=ast.Load()), args=[ast.Constant(number)], keywords=[]
    )


def _placed(node: ast.expr, like: ast.expr) -> ast.expr:
    """The new nodes stand where the condition does; those of the condition itself stay where they are."""
    ast.copy_location(node, like)
    for child in ast.iter_child_nodes(node):
        if child is not like:
            for new in ast.walk(child):
                ast.copy_location(new, like)
    return node
