"""Describe in one line how a program's process ended.

>>> told(139, "", "train.py:12")
"the program's process died of SIGSEGV (segmentation fault) at train.py:12"
"""

from __future__ import annotations

import os
import re
import signal

from ..core.failure import FOLDER

_FRAME = re.compile(r'File "([^"\n]{1,4096})", line (\d{1,9}) in ')
_MEANS = {
    signal.SIGSEGV: " (segmentation fault)", signal.SIGBUS: " (bus error)", signal.SIGABRT: " (abort)",
    signal.SIGILL: " (illegal instruction)", signal.SIGFPE: " (arithmetic error)",
    signal.SIGKILL: " (out of memory, or over a CPU time limit)", signal.SIGXCPU: " (over a CPU time limit)",
    signal.SIGXFSZ: " (over a file size limit)",
}  # fmt: skip


def told(status: int | None, stopped: str, place: str) -> str:
    """Return how a process ended; `status` is waitpid's, None if the guard died too; `stopped` is why it was ended."""
    at = f" at {place}" if place else ""
    if stopped:
        return f"{stopped}{at}"
    if status is None:
        return "the program's process and its guard were killed"
    if os.WIFSIGNALED(status):
        number = signal.Signals(os.WTERMSIG(status))
        return f"the program's process was killed by {number.name}{_MEANS.get(number, '')}{at}"
    return f"the program's process exited with {os.waitstatus_to_exitcode(status)}, bypassing Python{at}"


def after(said: str | None) -> str:
    """Return where the program was when it was stopped, from the last words of its trace."""
    _, found, place = (said or "").rpartition(" at ")
    return f" at {place}" if found else ""


def place(dump: str) -> str:
    """Return the innermost line of what faulthandler wrote that is not Miscast's: "train.py:12", or nothing."""
    lines = [
        (file, line)
        for file, line in _FRAME.findall(dump)
        if not file.startswith(FOLDER)
    ]
    own = [
        one
        for one in lines
        if "site-packages" not in one[0] and f"{os.sep}lib{os.sep}python" not in one[0]
    ]
    chosen = (own or lines)[:1]
    return f"{chosen[0][0]}:{chosen[0][1]}" if chosen else ""
