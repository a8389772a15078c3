"""Measure the memory of waiting forks. Each keeps the pages that the run has written to since.

Programs of small models write to the same few MiB over and over, and so do many forks' worth of them add up.
"""

from __future__ import annotations

from collections.abc import Collection

from .proc import text_of

_SHARE = 0.4  # of what the run itself holds; the one that goes on takes some more
_FORK = (
    1.5 * 1024
)  # KiB that a fork writes at once: Python's and torch's handlers of forks


class Room:
    """Memory of a run's or a fork's forks."""

    def __init__(self) -> None:
        self._held = 0.0
        self._full = False

    def is_full(self, waiting: Collection[int]) -> bool:
        """Check whether the memory is full for a further fork beside these processes. Called right before each."""
        if self._full or not waiting:
            return self._full
        own = _sizes("self")
        limit = own.get("Rss", 0.0) * _SHARE
        # nobody shares what was written since the last fork, which has it as it was
        self._held += own.get("Private_Dirty", 0.0) + _FORK
        if self._held > limit:  # or was: some may be gone, and what is new is no copy
            others = sum(_sizes(str(one)).get("Pss", 0.0) for one in waiting)
            self._held = own.get("Pss", 0.0) + others - own.get("Rss", 0.0)
        self._full = self._held > limit
        return self._full

    def again(self) -> None:
        """Note that one waiting fork is gone."""
        self._full = False


def _sizes(process: str) -> dict[str, float]:
    """Return the memory sizes of a process in KiB; empty if the system does not provide them."""
    lines = text_of(f"{process}/smaps_rollup").splitlines()[1:]
    return {
        name: float(text.split()[0])
        for name, _, text in (line.partition(":") for line in lines)
    }
