"""Measure the processor time of a process and its descendants, and check whether any is at work."""

from __future__ import annotations

import os
import time

from .proc import text_of

_TICK = 1 / os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 0.01
_STATE, _USED = 0, slice(11, 15)  # in /proc/PID/stat, behind the name of the program


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
    text = text_of(f"{pid}/stat").rpartition(") ")[2].split()
    if not text:
        return None
    used, runs = sum(map(int, text[_USED])) * _TICK, text[_STATE] in ("R", "D")
    for child in text_of(f"{pid}/task/{pid}/children").split():
        below, works = _of_tree(int(child)) or (0.0, False)
        used, runs = used + below, runs or works
    return used, runs
