"""Cut loops whose rounds repeat: the same ops on the same dtypes, shapes and devices, step after step of training.

    for step in range(1000):    rounds 0, 1 and 2, of which the last two were the same; round 100, where
        …                       `step % 100 == 0` holds again as it did not in them; the last round

A round is more than its ops. A loop goes on as long as memory grows, gradients or other numbers add up, known numbers
change, or a condition on a counter that has not come out both ways is going to. One whose rounds keep differing, as in
episodes of any length, goes on for `_PLENTY` ops: it may have no end.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterable, Iterator
from itertools import count
from types import FrameType, GeneratorType
from typing import TYPE_CHECKING, Any

from ...running.torch_abi import graph_task
from ..key import KEYSET, Exclude
from ..provenance.safe_lookup import value_of
from .call_key import call_key
from .conditions import UnclearError, over_counters

if TYPE_CHECKING:
    import ast

    from ..machine import VirtualMachine
    from ..schema import Args, Kwargs, Plan
    from .loops import Loop

_FEWEST = 6  # rounds of a loop that is worth cutting
_TRIES = 16  # training steps that may differ before the loop is left alone
_AHEAD = 1 << 14  # rounds that conditions are worked out for
_LOOKS = "it compared the iterations of a loop"
_LONGEST = 1 << 17  # ops of one round
_PLENTY = 100_000  # ops of a loop whose training steps differ: some five seconds


class Rounds:
    """The loops of one run."""

    def __init__(self, vm: VirtualMachine) -> None:
        self.vm, self._failures = vm, vm.recorder.failures
        self._owner = os.getpid()
        self._whiles: dict[tuple[Loop, int], _Pass] = {}
        self._listening: list[_Pass] = []

    def through(self, loop: Loop, items: Any) -> Any:
        """Return what a `for` goes through: `items`, or as much of a range, or of what may have no end, as differs."""
        is_bar = type(items).__module__.partition(".")[0] == "tqdm"
        span = getattr(items, "iterable", None) if is_bar else items
        if type(span) is range:
            if len(span) < _FEWEST or loop.collects or not self._cuts():
                return items
            return self._rounds(_Pass(self, loop, span), items, span)
        endless = isinstance(items, (count, GeneratorType))
        if not endless or not self._cuts(endless=True):
            return items
        turns = _Pass(self, loop, None)
        if loop.collects or type(items) is not count or self.vm.numerics.ranges:
            turns.tire()
        return self._rounds(turns, items, None)

    def begun(self, loop: Loop, frame: FrameType) -> None:
        """Begin a `while` in a frame."""
        if not loop.collects and self._cuts():
            self._whiles[loop, id(frame)] = _Pass(self, loop, None)

    def again(self, loop: Loop, frame: FrameType) -> bool:
        """Return whether a `while` goes on."""
        turns = self._whiles.get((loop, id(frame)))
        if turns is None or turns.ahead(frame) is None:
            return True
        del self._whiles[loop, id(frame)]
        self._note(turns, turns.rounds, "")
        return False

    def over(self, loop: Loop, frame: FrameType) -> bool:
        """Return a `while` ends by itself: return that it does not go on."""
        turns = self._whiles.pop((loop, id(frame)), None)
        if turns is not None:
            turns.end()
        return False

    def _cuts(self, *, endless: bool = False) -> bool:
        return (
            not self.vm.every_step
            and (endless or not self.vm.numerics.ranges)
            and self.vm.gathering is None
            and os.getpid() == self._owner
            and threading.current_thread() is threading.main_thread()
        )

    def _rounds(
        self, turns: _Pass, items: Iterable[int], span: range | None
    ) -> Iterator[int]:
        further = None
        try:
            for value in items:
                with self._failures.during(_LOOKS):
                    further = turns.ahead(sys._getframe(1))
                if further is not None:
                    break
                yield value
        finally:  # also where the program leaves the loop
            turns.end()
        if further is None:
            return
        of = "" if span is None else f" of {len(span):,}"
        self._note(turns, turns.rounds + len(further), of)
        if span is not None:
            yield from (span[number] for number in further)

    def _note(self, turns: _Pass, ran: int, of: str) -> None:
        at = f"{os.path.basename(turns.loop.file)}:{turns.loop.line}"
        why = "too many that differ" if turns.tired else "the others repeat them"
        self.vm.recorder.note(
            f"loop at {at} shortened to {ran:,}{of} iterations, {why} (--steps all runs all)"
        )

    def listen(self, turns: _Pass) -> None:
        """Report each op to a pass from now on, while it compares them."""
        if turns.tired or turns.over:
            return
        if not self._listening:
            self.vm.dispatcher.watches.append(self._see)
        self._listening.append(turns)

    def leave(self, turns: _Pass) -> None:
        """Report no more ops to it."""
        if turns in self._listening:
            self._listening.remove(turns)
            if not self._listening:
                self.vm.dispatcher.watches.remove(self._see)

    def _see(self, plan: Plan, args: Args, kwargs: Kwargs) -> None:
        own = not self.vm.numerics.stepping and graph_task() == -1
        with self._failures.during(_LOOKS), Exclude(KEYSET):
            key = call_key(plan, args, kwargs, own)
            for turns in [*self._listening]:
                turns.see(key)

    def state(self) -> tuple[object, ...]:
        """Return what a round must leave as it was: memory, and how many gradients were summed."""
        numerics = self.vm.numerics
        return (*self.vm.memory.held(), numerics.training.gradients.sums.total())


class _Pass:
    """One pass through a loop."""

    def __init__(self, owner: Rounds, loop: Loop, span: range | None) -> None:
        self.loop, self.rounds, self.ops = loop, -1, 0
        self._owner, self._span = owner, span
        self._steps, self._begun = self._stepped(), 0
        self._last: tuple[object, ...] | None = None
        self._counters: dict[str, int] = {}
        self._tries, self._not_before, self._many = 0, 0, 0
        self._plenty, self.over = owner.vm.recorder.ops + _PLENTY, False

    def see(self, key: object) -> None:
        """Note an op."""
        self.ops, self._many = hash((self.ops, key)), self._many + 1
        if self._many > _LONGEST:  # or the loop was left, unnoticed
            self.end()

    def _stepped(self) -> int:
        return self._owner.vm.numerics.training.steps

    @property
    def tired(self) -> bool:
        """True if too many training steps differed to look at more of them."""
        return self._tries >= _TRIES

    def tire(self) -> None:
        """Cut the loop only once it has run for long."""
        self._tries = _TRIES

    def end(self) -> None:
        """End the pass."""
        self.over = True
        self._owner.leave(self)

    def ahead(self, frame: FrameType) -> list[int] | None:
        """Begin a round: return None while rounds differ, then the numbers of those that are still to be run."""
        self.rounds += 1
        done = self._stepped() - self._steps
        if not done or self._rests():
            return None
        # a training step, or several, ended since the last time
        self._owner.leave(self)
        length, self._begun = self.rounds - self._begun, self.rounds
        seen = (self.ops, length, *self._owner.state()) if self._tries else None
        same, again = seen is not None and seen == self._last, self._last is not None
        self._last = seen
        before, self._counters = self._counters, _counters(self.loop, frame)
        self._steps, self.ops, self._many = self._stepped(), 0, 0
        further = None
        if (same or (again and self.tired)) and self.rounds >= self._not_before:
            changes = self._changes(before, length)
            last = max(length // done, 1) if self.tired else length
            further = self._further(frame, changes, last)
        self._tries += not same
        if further is None:
            self._owner.listen(self)
        return further

    def _rests(self) -> bool:
        """Check whether a loop is not looked at, or not before it has run for long."""
        early = self._owner.vm.recorder.ops < self._plenty
        return self.over or (self.tired and early)

    def _changes(self, before: dict[str, int], length: int) -> dict[str, int]:
        now = self._counters
        gone = {name: now[name] - before[name] for name in now if name in before}
        return {name: by // length for name, by in gone.items() if by}

    def _further(
        self, frame: FrameType, changes: dict[str, int], length: int
    ) -> list[int] | None:
        """Return the rounds in which a condition comes out as it has not yet, and the last; None: go on."""
        span, now = self._span, self.rounds
        many = len(span) if span is not None else now + _AHEAD
        if span is not None:
            changes.pop(self.loop.target, None)
        counters = {*changes, self.loop.target}
        deciding = self._deciding(changes, counters)
        values = self._values(_looked_at(now, many), changes) if deciding else {}
        wanted = set(range(max(many - length, now), many) if span is not None else ())
        for test, derived in deciding:
            try:
                holds = over_counters(test, frame, counters)
                ways = {n: bool(holds(value)) for n, value in values.items()}
            except (UnclearError, TypeError, ValueError, ArithmeticError):
                self.end()
                return None
            if not derived:
                wanted.update(_telling(ways, now))
            elif (new := _unseen(ways, now)) is not None:
                self._not_before = new
                return None
        return sorted(wanted) if many - now > len(wanted) else None

    def _deciding(
        self, changes: dict[str, int], counters: set[str]
    ) -> list[tuple[ast.expr, bool]]:
        """Return the conditions to work out, and whether each looks at more than the name that a `for` sets."""
        found = []
        for test, paths in self.loop.paths.items():
            derived = not paths.keys().isdisjoint(changes)
            asked = not paths.keys().isdisjoint(counters)
            if asked and not (derived and test in self.loop.exits):
                found.append((test, derived))
        return found

    def _values(
        self, rounds: Iterable[int], changes: dict[str, int]
    ) -> dict[int, dict[str, int]]:
        """Return the counters in each of some rounds."""
        target, span, now = self.loop.target, self._span, self.rounds
        counted = [(name, self._counters[name], d) for name, d in changes.items()]
        values = {
            n: {k: value + d * (n - now) for k, value, d in counted} for n in rounds
        }
        if span is not None:
            for number, counters in values.items():
                counters[target] = span[number]
        return values


def _looked_at(now: int, many: int) -> Iterator[int]:
    """Yield the rounds that conditions are worked out for: not all of millions."""
    middle = min(many, now + _AHEAD)
    yield from range(middle)
    yield from range(max(middle, many - _AHEAD), many)


def _unseen(ways: dict[int, bool], now: int) -> int | None:
    """Return the first round from `now` on in which a condition comes out as in none before; None for none."""
    seen = {ways[n] for n in range(now)}
    return next((n for n, way in ways.items() if n >= now and way not in seen), None)


def _telling(ways: dict[int, bool], now: int) -> Iterator[int]:
    """Yield the first unseen round, and the last in which the condition holds, and in which it does not."""
    first = _unseen(ways, now)
    if first is not None:
        yield first
    last = {way: n for n, way in ways.items()}
    yield from (n for n in last.values() if n >= now)


def _counters(loop: Loop, frame: FrameType) -> dict[str, int]:
    """Return the integers that the conditions of a loop look at."""
    nodes = {
        name: node for paths in loop.paths.values() for name, node in paths.items()
    }
    values = ((name, value_of(node, frame)) for name, node in nodes.items())
    return {name: value for name, value in values if type(value) is int}
