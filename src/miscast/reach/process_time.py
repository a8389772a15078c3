"""How much processor time a process and its descendants have used, and whether one of them is at work."""

from __future__ import annotations

import os
import time

_open, _read, _close = os.open, os.read, os.close  # before the program patches them
_MOST = 1 << 12
_TICK = 1 / os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 0.01
_STATE, _USED = 0, slice(11, 15)  # in /proc/PID/stat, behind the name of the program


class ProcessTime:
    """Of one process. Where the system has no /proc, the clock on the wall stands for its processors'."""

    def __init__(self, pid: int) -> None:
        """Nothing is used yet."""
        self._pid, self._begin = pid, time.monotonic()
        self._used, self._since = 0.0, self._begin

    def used(self) -> float:
        """Return the seconds of processor time so far, of children that have ended too."""
        found = _of_tree(self._pid)
        if found is None:
            return time.monotonic() - self._begin
        used, runs = found
        if runs or used > self._used:
            self._used, self._since = used, time.monotonic()
        return used

    def idle(self) -> float:
        """Return the seconds since when, as `used` saw it, none of the processes was at work or wanted to be."""
        return time.monotonic() - self._since


def _of_tree(pid: int) -> tuple[float, bool] | None:
    text = _text(f"/proc/{pid}/stat").rpartition(") ")[2].split()
    if not text:
        return None
    used, runs = sum(map(int, text[_USED])) * _TICK, text[_STATE] in ("R", "D")
    for child in _text(f"/proc/{pid}/task/{pid}/children").split():
        below, works = _of_tree(int(child)) or (0.0, False)
        used, runs = used + below, runs or works
    return used, runs


def _text(path: str) -> str:
    """Return what a file of /proc says; "" where there is none."""
    try:
        file = _open(path, os.O_RDONLY)
    except OSError:
        return ""
    try:
        return _read(file, _MOST).decode("ascii", "replace")
    except OSError:  # it has ended
        return ""
    finally:
        _close(file)
