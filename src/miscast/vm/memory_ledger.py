"""Account for tensor memory on one device: bytes now, bytes at the peak, and their purpose.

    account = Account(capacity=16 << 30)
    block = account.take(4096, ACTIVATIONS)
    block.become(PARAMETERS)     # the peak that it was part of is told anew
    del block                    # its bytes are free again

A tensor on an accelerator takes whole blocks of 512 bytes, as in torch's caching allocators
(c10/cuda/CUDACachingAllocator.cpp, kMinBlockSize).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ..core.event import MEMORY_KINDS
from .memory_course import Course

if TYPE_CHECKING:
    from .provenance.origin import Place

BLOCK = 512
KINDS = MEMORY_KINDS
"""Purposes of memory, under the names of `event.Memory`."""
PARAMETERS, BUFFERS, GRADIENTS, OPTIMIZER, ACTIVATIONS, TEMPORARIES = range(len(KINDS))


class Account:
    """One device. `total` is what is held now, `most` the peak, `since` the peak since the program reset it."""

    __slots__ = (
        "at_peak", "block", "capacity", "course", "held", "most", "place", "placed", "since", "taken", "taken_at_peak",
        "total",
    )  # fmt: skip

    def __init__(
        self,
        capacity: int = 0,
        block: int = BLOCK,
        clock: Callable[[], int] = int,
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
