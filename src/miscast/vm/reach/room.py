"""Measure forks by what Linux tells below /proc: memory of those that wait, processor time of the one that runs.

Each that waits keeps the pages that the run has written to since. Programs of small models write to the same few MiB
over and over, and so do many forks' worth of them add up.
"""

from __future__ import annotations

import os
import time
from collections.abc import Collection

# the system's: the program may have replaced `open`
_open, _read, _close = os.open, os.read, os.close
_MOST = 1 << 12
_TICK = 1 / os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 0.01
_STATE, _USED = 0, slice(11, 15)  # in /proc/PID/stat, behind the name of the program
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
    lines = _text_of(f"{process}/smaps_rollup").splitlines()[1:]
    return {
        name: float(text.split()[0])
        for name, _, text in (line.partition(":") for line in lines)
    }


class ProcessTime:
    """The processor time of a process. Without /proc, it always counts as at work."""

    def __init__(self, pid: int) -> None:
        self._pid, self._begin = pid, time.monotonic()
        self._used, self._since = 0.0, self._begin

    def used(self) -> float:
        """Return the seconds of processor time so far, of children that have ended too."""
        now = time.monotonic()
        used, runs = _of_tree(self._pid) or (now - self._begin, True)
        if runs or used > self._used:
            self._used, self._since = used, now
        return used

    def idle(self) -> float:
        """Return the seconds for which no process was at work or wanted to be, as `used` saw it."""
        return time.monotonic() - self._since


def _of_tree(pid: int) -> tuple[float, bool] | None:
    """Return seconds, and if a process runs or waits for a disk; None if the system does not provide this."""
    text = _text_of(f"{pid}/stat").rpartition(") ")[2].split()
    if not text:
        return None
    used, runs = sum(map(int, text[_USED])) * _TICK, text[_STATE] in ("R", "D")
    for child in _text_of(f"{pid}/task/{pid}/children").split():
        below, works = _of_tree(int(child)) or (0.0, False)
        used, runs = used + below, runs or works
    return used, runs


def _text_of(path: str) -> str:
    """Return the text of a file below /proc; "" if there is none, or its process has ended."""
    try:
        file = _open(f"/proc/{path}", os.O_RDONLY)
    except OSError:
        return ""
    try:
        return _read(file, _MOST).decode("ascii", "replace")
    except OSError:
        return ""
    finally:
        _close(file)
