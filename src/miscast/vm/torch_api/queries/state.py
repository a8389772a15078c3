"""State of the virtual machine's devices between two queries."""

from __future__ import annotations

import threading
import time
from functools import cache
from typing import TYPE_CHECKING

from ...memory_ledger import Account

if TYPE_CHECKING:
    from collections.abc import Callable

    from .rng import VirtualGenerator

_BLOCK = 2 << 20


class State:
    """Current device and stream (per thread, as in CUDA), generators, memory peaks; the rest is the machine's.

    `account(index)` is the memory of a device, as whoever counts tensors has it; without a count it is empty.
    """

    def __init__(self, account: Callable[[int], Account] | None = None) -> None:
        """Start with all devices unused."""
        self.account = account or cache(lambda _: Account())
        self.generators: dict[int, VirtualGenerator] = {}
        self.begun: Callable[[], None] = lambda: None
        self.initialized = False
        self.sync_debug_mode = 0
        self.memory_fraction: dict[int, float] = {}
        self.started = time.perf_counter()
        self._local = threading.local()
        self._handles = 0

    @property
    def current(self) -> int:
        """The current device's index in this thread."""
        index: int = getattr(self._local, "index", 0)
        return index

    @current.setter
    def current(self, index: int) -> None:
        self._local.index = index

    @property
    def streams(self) -> dict[int, int]:
        """The current stream's id by device, in this thread; a missing device is on its default stream, 0."""
        if not hasattr(self._local, "streams"):
            self._local.streams = {}
        streams: dict[int, int] = self._local.streams
        return streams

    def initialize(self, *_: object) -> None:
        """Mark the devices as used, and call `begun` the first time."""
        if not self.initialized:
            self.initialized = True
            self.begun()

    def handle(self) -> int:
        """Return a number that no stream, event, graph or pool has yet."""
        self._handles += 1
        return self._handles

    def allocated(self, index: int) -> int:
        """Return the bytes that tensors hold on a device."""
        return self.account(index).total

    def peak(self, index: int) -> int:
        """Return the most that they held since the program reset it."""
        return self.account(index).since

    def reset_peak(self, index: int) -> None:
        """Reset the peak that the program reads."""
        self.account(index).forget_peak()

    def reserved(self, index: int) -> int:
        """Return the bytes that torch's allocator would reserve, in its blocks of 2 MiB."""
        return -(-self.allocated(index) // _BLOCK) * _BLOCK
