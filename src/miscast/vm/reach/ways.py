"""Record the side that each branch took, and the deciding values. The program's instrumented code calls this."""

from __future__ import annotations

import ast
import sys
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from types import FrameType
from typing import TYPE_CHECKING, Any

from ...core.event import Block
from ...core.failure import Failures
from ...core.syntax import last_name, nodes_of, paths_read
from ..provenance.safe_lookup import UNREAD, value_of
from .changes import changing
from .frame_values import dtypes_of, error_of, value_given
from .loops import Loop
from .rounds import Rounds
from .sides import Branch, Side

if TYPE_CHECKING:
    from .forks import Forks

_VISITS = 3  # whose values are kept
_LOOKS = 64  # at which it may meet another dtype
_PLAIN = (bool, int, float, str, type(None))
_CONTAINERS = (list, tuple, dict, set)
_LONG = 24


class Ways:
    """Ways of a run."""

    def __init__(self, failures: Failures, rounds: Rounds) -> None:
        """Start without branches. `rounds` cuts loops."""
        self.loops: list[Loop] = []
        self._rounds = rounds
        self.branches: list[Branch] = []
        self.met: dict[int, set[bool]] = {}
        self.loads: Counter[str] = Counter()
        self._changing: set[str] = set()
        self.fork: Forks | None = None
        self._values: dict[int, dict[str, dict[str, None]]] = {}
        self._visits: Counter[int] = Counter()
        self._dtypes: dict[int, set[Any]] = {}
        self._settled: tuple[set[int], set[int]] = (set(), set())
        self._held: dict[str, bool] = {}
        self._failures = failures

    def add(self, branches: Sequence[Branch], tree: ast.Module) -> None:
        """Add the branches of one more source, and how often it reads each name."""
        self.branches.extend(branches)
        self._changing |= changing(tree)
        for node in nodes_of(tree, ast.expr):
            name = last_name(node)
            if name and isinstance(getattr(node, "ctx", None), ast.Load):
                self.loads[name] += 1

    def taken(self, number: int) -> bool:
        """Return a condition holds: whether to go on as if it did."""
        return True if number in self._settled[1] else self._met(number, way=True)

    def passed(self, number: int) -> bool:
        """Return a condition does not hold: as above."""
        return False if number in self._settled[0] else self._met(number, way=False)

    def each(self, number: int, items: Any) -> Any:
        """Return what a loop goes through: whether it comes to any of it is not known yet."""
        self._met(number, way=False)
        return items

    def rounds(self, number: int, items: Any = None) -> Any:
        """Return what a `for` goes through, not all of it if its rounds repeat; a `while` begins."""
        with self._failures.during("it entered a loop"):
            if self.loops[number].target:
                return self._rounds.through(self.loops[number], items)
            self._rounds.begun(self.loops[number], sys._getframe(1))
        return items

    def again(self, number: int, goes: bool = True) -> bool:
        """Return whether a `while` goes on; it does not where its own condition says so (`goes`)."""
        with self._failures.during("it entered a loop"):
            go_on = self._rounds.again if goes else self._rounds.over
            return go_on(self.loops[number], sys._getframe(1))
        return goes

    def begun(self, first: int, many: int, *needed: str) -> None:
        """Raise the exception of the handler to be taken, before statements with handlers, branches of these numbers.

        Not before names are there that they set, and handlers look at: then `through` does, behind them.
        """
        frame = sys._getframe(1)
        if not needed or all(name in frame.f_locals for name in needed):
            self._fails(first, many, frame)

    def through(self, first: int, many: int) -> None:
        """Raise after such statements, if not before them."""
        if first not in self.met:
            self._fails(first, many, sys._getframe(1))

    def _fails(self, first: int, many: int, frame: FrameType) -> None:
        for number in range(first, first + many):
            if self._met(number, way=False, frame=frame):
                raise error_of(self.branches[number].given, frame)

    def subject(self, first: int, many: int, value: Any) -> Any:
        """Return what a `match` looks at, with cases of these numbers.

        Another value that comes to the one to be taken.
        """
        for number in range(first, first + many):
            if self._met(number, way=False):
                return value_given(self.branches[number].given, sys._getframe(1))
        return value

    def _met(self, number: int, *, way: bool, frame: FrameType | None = None) -> bool:
        with self._failures.during("it recorded a branch"):
            return self._noted(number, way, frame or sys._getframe(2))
        return way

    def _noted(self, number: int, way: bool, frame: FrameType) -> bool:
        known = self.met.setdefault(number, set())
        first = not known
        held = self._held.get(self.branches[number].text)
        known.add(way if held is None else held)
        if held is not None:
            return held
        if len(known) > 1:
            self._settled[0].add(number)
            self._settled[1].add(number)
            if self.fork is not None:
                self.fork.drop(number)
            return way
        self._visits[number] += 1
        visits = self._visits[number]
        if visits <= _VISITS:
            self._keep(number, frame)
        if self.fork is None or not _in_main_thread() or visits > _LOOKS:
            if visits >= _VISITS:
                self._settled[way].add(number)
            return way
        if self._meets_another(number, frame) and not first:
            return self.fork.park_again(number, way, frame)
        return self.fork.park(number, way, frame) if first else way

    def _meets_another(self, number: int, frame: FrameType) -> bool:
        """Check whether a dtype is present that earlier visits lacked, such as float16 after training in float32."""
        known = self._dtypes.setdefault(number, set())
        new = dtypes_of(frame) - known
        before = bool(known)
        known |= new
        return before and bool(new)

    def _keep(self, number: int, frame: FrameType) -> None:
        values = self._values.setdefault(number, {})
        for node in paths_read(self.branches[number].asked):
            value = value_of(node, frame)
            if value is not UNREAD and _is_plain(value):
                values.setdefault(ast.unparse(node), {})[_short(value)] = None

    def twins(self, number: int) -> list[int]:
        """Return the branches that ask the same of the program's settings, the one itself among them."""
        branch = self.branches[number]
        if branch.kind != "flag":
            return [number]
        return [n for n, one in enumerate(self.branches) if one.text == branch.text]

    def lonely(self, number: int) -> bool:
        """Check whether nothing but this condition reads its names: what else they decided, it would contradict."""
        names = map(last_name, paths_read(self.branches[number].asked))
        many = len(self.twins(number))
        return all(self.loads[name] <= many for name in names)

    def held(self, number: int, side: Side, *, way: bool) -> Side:
        """Fix the answer to this condition in a fork. Return how far the fork is to continue after `side`."""
        twins = self.twins(number)
        if len(twins) > 1:
            self._held[self.branches[number].text] = way
            for settled in self._settled:
                settled.difference_update(twins)
        elif self._changing.isdisjoint(side.does):
            return side
        return replace(side, matters=True, outlives=True)

    def loop_at(self, file: str, line: int) -> Side | None:
        """Return the loop of a source that begins at a line."""
        return next(
            (
                branch.sides[1]
                for branch in self.branches
                if (branch.kind, branch.file, branch.line) == ("empty", file, line)
            ),
            None,
        )

    def forked(self, branch: Branch, frame: FrameType) -> bool:
        """Record one more branch, in no source, as met and not taken. Return True in the fork that takes it."""
        number = len(self.branches)
        self.branches.append(branch)
        self.met[number] = {False}
        return (
            self.fork is not None
            and _in_main_thread()
            and self.fork.park(number, way=False, frame=frame)
        )

    def in_vain(self) -> None:
        """End a fork that has nothing to run."""
        if self.fork is not None:
            self.fork.in_vain()

    def other(self, number: int) -> Side | None:
        """Return the side that a branch did not take."""
        return self.branches[number].sides[not any(self.met[number])]

    def left(self) -> list[int]:
        """Return the branches that always went the same way, and have something on the other."""
        return [n for n, ways in self.met.items() if len(ways) == 1 and self.other(n)]

    def block(self, number: int, **how: Any) -> Block:
        """Return the lines of the side that was not taken, as plain data."""
        branch = self.branches[number]
        side = self.other(number)
        assert side is not None
        values = {
            name: tuple(found) for name, found in self._values.get(number, {}).items()
        }
        return Block(file=branch.file, first=side.first, last=side.last, does=side.does, torch=side.torch,
                     line=branch.line, condition=branch.text, kind=branch.kind, values=values, **how)  # fmt: skip


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def _is_plain(value: Any) -> bool:
    return type(value) in _PLAIN or (type(value) in _CONTAINERS and not value)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _LONG else f"{text[: _LONG - 1]}…"
