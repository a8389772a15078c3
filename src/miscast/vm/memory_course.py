"""A device's memory over a run, in a bounded number of samples. Above the bound, every other one is dropped.

course = Course(clock)
course.look(taken, held)         # where `taken`, the blocks taken so far, has come to `course.next`
course.move(number, 4096, ACTIVATIONS, PARAMETERS)
course.samples(taken, peak)      # ((ops, bytes of parameters, bytes of buffers, …), …)
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence

from ..core.event import MEMORY_KINDS

MOST = 512  # even
"""Samples that are kept at most; at least half as many of a long run are."""


class Course:
    """Samples, the first of them after one block, the others evenly spread over the blocks that were taken."""

    __slots__ = ("_clock", "_held", "_moved", "_stride", "_taken", "next")

    def __init__(self, clock: Callable[[], int]) -> None:
        self._clock = clock
        self._taken: list[int] = []
        self._held: list[tuple[int, tuple[int, ...]]] = []
        # By sample, what is to be added to its kinds and to those of all behind it.
        self._moved: list[list[int] | None] = [None]
        self._stride = 1
        self.next = 1

    def look(self, taken: int, held: Sequence[int]) -> None:
        """Record the bytes that are held now."""
        self._taken.append(taken)
        self._held.append((self._clock(), tuple(held)))
        self._moved.append(None)
        if len(self._taken) >= MOST:
            self._halve()
        self.next = taken + self._stride

    def move(self, number: int, size: int, old: int, kind: int) -> None:
        """Change the kind of a block throughout its life, which began after `number` other blocks."""
        first, end = bisect_right(self._taken, number), len(self._taken)
        if first < end:
            for index, more in ((first, size), (end, -size)):
                moved = self._moved[index]
                if moved is None:
                    moved = self._moved[index] = [0] * len(MEMORY_KINDS)
                moved[old] -= more
                moved[kind] += more

    def samples(self, taken: int, peak: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """Yield what was held, by what it was for, also at its peak, when so many blocks were taken."""
        at = bisect_right(self._taken, taken)
        added = [0] * len(MEMORY_KINDS)
        for index, (ops, held) in enumerate(self._held):
            moved = self._moved[index]
            if moved is not None:
                added = [a + b for a, b in zip(added, moved, strict=True)]
            if index == at:
                yield (ops, *peak)
            yield (ops, *(max(a + b, 0) for a, b in zip(held, added, strict=True)))
        if at == len(self._held) and any(peak):
            yield (self._clock(), *peak)

    def _halve(self) -> None:
        """Drop every other sample, and add its corrections to the next sample that remains."""
        moved = self._moved
        pairs = zip(moved[1::2], moved[2::2], strict=True)
        self._moved = [moved[0], *(_sum(one, other) for one, other in pairs)]
        del self._taken[1::2]
        del self._held[1::2]
        self._stride *= 2


def _sum(one: list[int] | None, other: list[int] | None) -> list[int] | None:
    if one is None or other is None:
        return other if one is None else one
    return [a + b for a, b in zip(one, other, strict=True)]
