"""Account for tensor memory on one device: bytes now, bytes at the peak, and their purpose.

    account = Account(capacity=16 << 30)
    block = account.take(4096, ACTIVATIONS)
    block.become(PARAMETERS)     # the peak that it was part of is told anew
    del block                    # its bytes are free again

The course of a run is kept in a bounded number of samples: above the bound, every other one is dropped.

A tensor on an accelerator takes whole blocks of 512 bytes, as in torch's caching allocators
(c10/cuda/CUDACachingAllocator.cpp, kMinBlockSize).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..core.event import MEMORY_KINDS

if TYPE_CHECKING:
    from .provenance.origin import Place

BLOCK = 512
KINDS = MEMORY_KINDS
"""Purposes of memory, under the names of `event.Memory`."""
PARAMETERS, BUFFERS, GRADIENTS, OPTIMIZER, ACTIVATIONS, TEMPORARIES = range(len(KINDS))

MOST = 512  # even
"""Samples that are kept at most; at least half as many of a long run are."""


class Account:
    """One device. `total` is what is held now, `most` the peak, `since` the peak since the program reset it."""

    __slots__ = (
        "at_peak", "block", "capacity", "course", "held", "most", "place", "placed", "since", "taken", "taken_at_peak",
        "total",
    )  # fmt: skip

    def __init__(
        self, capacity: int = 0, block: int = BLOCK, clock: Callable[[], int] = int
    ) -> None:
        """Start with nothing held. `capacity` is in bytes, 0 if not known; sizes are rounded up to `block`.

        `clock` tells how far the run is.
        """
        self.course = Course(clock)
        self.block = block
        self.capacity = capacity
        self.total = self.most = self.since = 0
        self.held = [0] * len(KINDS)
        self.at_peak = [0] * len(KINDS)
        self.taken = self.taken_at_peak = 0  # blocks so far
        self.place: Place | None = None
        self.placed = 0  # the peak that `place` speaks of

    def take(self, size: int, kind: int) -> Block:
        """Return memory for `size` bytes; it is freed when no reference to the block remains."""
        block = Block(self, -(-size // self.block) * self.block, kind)
        self.taken += 1
        self.held[kind] += block.size
        self.total += block.size
        if self.total > self.since:
            self.since = self.total
            if self.total > self.most:
                self.most = self.total
                self.at_peak = self.held.copy()
                self.taken_at_peak = self.taken
        if self.taken >= self.course.next:
            self.course.look(self.taken, self.held)
        return block

    def passes(self, size: int) -> bool:
        """Check whether more would be held than the device has, with so many bytes more."""
        return self.total - (-size // self.block) * self.block > self.capacity

    def forget_peak(self) -> None:
        """Reset the program's own peak."""
        self.since = self.total

    def forget(self) -> None:
        """Forget the previous peak, and start again with the present bytes."""
        self.most = self.since = self.total
        self.at_peak = self.held.copy()
        self.taken_at_peak = self.taken
        self.placed = 0

    def peak(self) -> dict[str, int]:
        """Return the bytes at the peak by what they were for."""
        return dict(zip(KINDS, self.at_peak, strict=True))


class Block:
    """Memory of one storage: counted while it lives."""

    __slots__ = ("account", "kind", "number", "size")

    def __init__(self, account: Account, size: int, kind: int) -> None:
        """Start with `size`, in bytes of whole blocks."""
        self.account = account
        self.size = size
        self.kind = kind
        self.number = account.taken

    def become(self, kind: int) -> None:
        """Set the kind once it is known; it also changes in any peak since the block was taken, as it is still held.

        What stands first among the kinds is said last: a parameter that is its optimizer's state is a parameter.
        """
        if kind >= self.kind:
            return
        account, old = self.account, self.kind
        account.held[old] -= self.size
        account.held[kind] += self.size
        if self.number < account.taken_at_peak:
            account.at_peak[old] -= self.size
            account.at_peak[kind] += self.size
        account.course.move(self.number, self.size, old, kind)
        self.kind = kind

    def resize(self, size: int) -> None:
        """Resize the storage in its place."""
        account = self.account
        more = account.take(size, self.kind)
        self.size, more.size = more.size, self.size
        self.number, more.number = more.number, self.number

    def __del__(self, *_: Any) -> None:
        """Free the memory, in an order that no other thread can interrupt (CPython: no call or jump in a statement)."""
        account = self.account
        account.total -= self.size
        account.held[self.kind] -= self.size


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
                    moved = self._moved[index] = [0] * len(KINDS)
                moved[old] -= more
                moved[kind] += more

    def samples(self, taken: int, peak: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """Yield what was held, by what it was for, also at its peak, when so many blocks were taken."""
        at = bisect_right(self._taken, taken)
        added = [0] * len(KINDS)
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
