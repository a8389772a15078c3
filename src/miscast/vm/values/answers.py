"""Answers when the program reads a placeholder. None would make a healthy program fail or loop forever.

    assert torch.isfinite(loss)             True
    if kl > 1.5 * target: break             not in the first rounds, then as the numbers say
    while (new != labels).any():            True for a few rounds, then False
    while acc < 0.95:                       ever larger; after FEW rounds the loop is left, and a note tells so

Only questions to stand-ins come here; of known values the program gets the truth. An op costs nothing, a question a
look at the line that asks, worked out once.
"""

from __future__ import annotations

import ast
import os
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from ..provenance.origin import TORCH, USER, Place, kind_of, program_frames
from .asked_expression import Sources, asking_frame
from .branches import endless
from .consequence import Hinge, hinge
from .data_flow import awaited
from .plausible import FALLING, RISING, fitting, is_score, swept

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import FrameType

    from ..judging.recorder import Recorder
    from .asked_expression import Tree
    from .consequence import Test

    Wanted = tuple[Test, bool, FrameType]

T = TypeVar("T")
STAY = 3  # rounds that a loop goes at least, so that all of its body is seen
FEW = 25  # rounds after which a loop that waits for a value is left: fewer would cut warm-ups and patience short
MANY = 200  # the same for a loop that has another end too
LIBRARY = 1000  # and for one that a library wrote: generation has its own limit
_HIGHER = 8  # callers that are asked what hangs on what a function returns


class Answers:
    """Answers of one run, and how often each place asked."""

    def __init__(self, recorder: Recorder, sources: Sources) -> None:
        self._recorder = recorder
        self._sources = sources
        self._known: dict[tuple[object, Place], Any] = {}
        self._rounds: dict[Place, int] = {}
        self._turns: dict[Place, int] = {}
        self._runs: dict[Place, tuple[bool, int]] = {}
        self.turned: frozenset[str] = frozenset()
        """Lines at which the program gets the opposite of an answer that no line of it decides."""

    def truth(self, natural: bool, *, steady: bool = False, free: bool = False) -> bool:
        """Return the truth value of a placeholder. `steady` ones are never flipped; `free` ones allow both answers."""
        frame = asking_frame(sys._getframe(1))
        if frame is None:
            return natural
        found, _, decides = self._reach(frame)
        if found.safe is not None:
            return found.safe
        if steady or kind_of(decides.f_code) == TORCH:
            return natural
        place, free = (frame.f_code, frame.f_lasti), free | found.fresh
        if found.leaves is not None and kind_of(decides.f_code) == USER:
            return self._leaving(natural, found, place, decides, free=free)
        if found.skips is not None and free:
            natural = not found.skips
        elif found.leaves is found.skips is None:
            line = f"{decides.f_code.co_filename}:{decides.f_lineno}"
            self._recorder.undecided[line] = None
            natural ^= line in self.turned
        return self._turned(natural, place, decides)

    def natural(
        self, twin: float | None, span: tuple[float, float] | None = None
    ) -> float:
        """Return a floating placeholder for this line: scores rise, computed values stay, and all others fall.

        Of a random number the `span` it lies in is known, and it shows the middle.
        """
        if span is not None and twin is None:
            self._recorder.assume(
                "Tensor.item", f"the midpoint of {span[0]:g} and {span[1]:g}"
            )
            return (span[0] + span[1]) / 2
        frame = asking_frame(sys._getframe(1))
        if frame is not None and self._of(is_score, frame, no=False):
            return 1 - max(
                0.5 ** (1 + self._recorder.assume("Tensor.item", RISING)), 1e-9
            )
        before = self._recorder.assume("Tensor.item", FALLING)
        return max(0.5**before, 1e-12) if twin is None else twin

    def number(self, natural: float, bound: int | None = None) -> float:
        """Return a placeholder's number: `natural`, unless it would fail an assertion or never end a loop."""
        frame = asking_frame(sys._getframe(1))
        if frame is None:
            return natural
        found, tests, decides = self._reach(frame)
        rounds = self._round(frame)
        safe = [(t, t.safe, f) for t, f in tests if t.safe is not None]
        value = natural
        if rounds >= FEW and kind_of(decides.f_code) == USER:
            left = _leaving(natural, found, tests, safe, bound)
            if left is not None or self._waits(frame):
                self._tell(decides)
                value = swept(rounds - FEW, natural, bound) if left is None else left
        return _raising_nothing(value, safe, bound, natural) if safe else value

    def filling(self) -> float | None:
        """Return the value that fills a list or array of placeholders if a loop waits for it here, else None."""
        rounds = self._in_vain(asking_frame(sys._getframe(1)))
        return None if rounds is None else swept(rounds, 0.0, None)

    def turn(self, count: int) -> int:
        """Return a number below `count`, another one each time that the program comes here.

        What was picked is not again.

        0 comes last: it is what programs start from.
        """
        frame = asking_frame(sys._getframe(1))
        if frame is None or not count:
            return 0
        place = frame.f_code, frame.f_lasti
        turns = self._turns[place] = self._turns.get(place, 0) + 1
        return turns % count

    def thinning(self) -> bool:
        """Check whether a mask of placeholders selects half as many: every other time if a loop waits for fewer.

        In the rounds between it selects as before, for a loop that waits for more.
        """
        rounds = self._in_vain(asking_frame(sys._getframe(1)))
        return rounds is not None and rounds % 2 == 0

    def _round(self, frame: FrameType) -> int:
        """Return how often this place asked before."""
        place = frame.f_code, frame.f_lasti
        self._rounds[place] = self._rounds.get(place, -1) + 1
        return self._rounds[place]

    def _in_vain(self, frame: FrameType | None) -> int | None:
        """Return for how many rounds, after the first FEW, a loop has waited for this value; None if none waits."""
        if frame is None or kind_of(frame.f_code) != USER:
            return None
        rounds = self._round(frame)
        if rounds < FEW or not self._waits(frame):
            return None
        self._tell(frame)
        return rounds - FEW

    def _leaving(
        self, natural: bool, found: Hinge, place: Place, frame: FrameType, *, free: bool
    ) -> bool:
        rounds, leaves = self._rounds.get(place, 0), bool(found.leaves)
        if natural is leaves:
            answer = leaves if rounds >= STAY or not free else not leaves
        else:
            answer = (
                leaves if rounds >= (MANY if found.bounded else FEW) else not leaves
            )
            if answer is leaves:
                self._tell(frame)
        self._rounds[place] = 0 if answer is leaves else rounds + 1
        return answer

    def _turned(self, natural: bool, place: Place, frame: FrameType) -> bool:
        """Return `natural`, but flip it in ever longer turns once a loop has received it FEW times in a row."""
        last, run = self._runs.get(place, (natural, 0))
        run = run + 1 if last is natural else 1
        self._runs[place] = natural, run
        patience = FEW if kind_of(frame.f_code) == USER else LIBRARY
        over = run - patience
        if over <= 0 or not self._in_endless(frame):
            return natural
        self._tell(frame)
        length = 1
        # turns of 1, 1, 2, 2, 4, 4 …: `three times in a row` comes too
        while over > 2 * length:
            over -= 2 * length
            length *= 2
        return not natural if over <= length else natural

    def _reach(
        self, frame: FrameType
    ) -> tuple[Hinge, list[tuple[Test, FrameType]], FrameType]:
        """Return what depends on the answer, in the asking frame or, if that returns it, in its callers."""
        found = self._of(hinge, frame, Hinge())
        tests = [(t, frame) for t in found.tests]
        flipped, fresh = found.flipped, found.fresh
        for _ in range(_HIGHER):
            back = asking_frame(frame.f_back) if found.returned else None
            if back is None:
                break
            frame = back
            found = self._of(hinge, frame, Hinge())
            if not found.returned:
                found = found.negated() if flipped else found
                tests = [(_wanted(t, found), f) for t, f in tests]
            tests += [(t, frame) for t in found.tests]
            flipped ^= found.flipped
        return replace(found, fresh=fresh), tests, frame

    def _of(self, says: Callable[[Tree, ast.expr], T], frame: FrameType, no: T) -> T:
        """Return what a function says of the expression at work, worked out once; `no` if there is no source."""
        key = says, (frame.f_code, frame.f_lasti)
        if key not in self._known:
            found = self._sources.node(frame)
            self._known[key] = no if found is None else says(*found)
        known: T = self._known[key]
        return known

    def _waits(self, frame: FrameType | None) -> bool:
        """Check whether the end of a loop depends on this value, also through the return values of functions."""
        for _ in range(_HIGHER):
            if frame is None:
                return False
            waits, returns = self._of(awaited, frame, (False, False))
            if waits or not returns:
                return waits
            frame = asking_frame(frame.f_back)
        return False

    def _in_endless(self, frame: FrameType) -> bool:
        frames = (*program_frames(frame), frame)
        return any(self._of(_in_endless, one, no=False) for one in frames)

    def _tell(self, frame: FrameType) -> None:
        at = f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"
        self._recorder.note(
            f"{at}: this loop depends on an unknown value; a value that ends the loop was used"
        )


def _wanted(test: Test, found: Hinge) -> Test:
    """Return a comparison that a function returns, with the truth that its caller wants."""
    if test.safe is None is test.leaves:
        return replace(test, safe=found.safe, leaves=found.leaves)
    return test


def _leaving(
    natural: float,
    found: Hinge,
    tests: Sequence[tuple[Test, FrameType]],
    safe: Sequence[Wanted],
    bound: int | None,
) -> float | None:
    """Return a number that ends the loop and raises nothing; None if there is none."""
    leaving = [(t, t.leaves, f) for t, f in tests if t.leaves is not None]
    if leaving and not found.bounded:
        return fitting(natural, [*safe, *leaving[:1]], bound)
    return None


def _raising_nothing(
    value: float, safe: Sequence[Wanted], bound: int | None, natural: float
) -> float:
    fit = fitting(value, safe, bound)
    return natural if fit is None else fit


def _in_endless(tree: Tree, node: ast.expr) -> bool:
    loops = (up for up in tree.above(node) if isinstance(up, (ast.While, ast.For)))
    return any(map(endless, loops))
