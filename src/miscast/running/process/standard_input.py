"""Standard input for several runs of a program, each of which reads it from its start: ranks, trials of a change.

echo hello | miscast check --ranks 2 train.py      # input() gives "hello" to both
"""

from __future__ import annotations

import os
import select
import stat
import time

_PATIENCE = 0.3  # seconds in which whoever writes to a pipe may close it
_CHUNK = 1 << 16


def kept() -> None:
    """Keep the content of a pipe in a file, if it is complete; a pipe that is still written to stays a pipe."""
    try:
        if (
            not stat.S_ISFIFO(os.fstat(0).st_mode)
            or not hasattr(os, "memfd_create")
            or not _closed()
        ):
            return
        file = os.memfd_create("stdin")
        while data := os.read(0, _CHUNK):
            os.write(file, data)
        os.lseek(file, 0, os.SEEK_SET)
        os.dup2(file, 0)
        os.close(file)
    except OSError:  # there is none
        return


def _closed() -> bool:
    poll = select.poll()
    poll.register(0, 0)  # only that the other end is closed
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        if poll.poll(1000 * _PATIENCE):
            return True
    return False


def again(descriptor: int = 0) -> None:
    """Reopen standard input at the start of a descriptor's file, in a process of its own; empty if it is no file."""
    try:
        regular = stat.S_ISREG(os.fstat(descriptor).st_mode)
        opened = os.open(
            f"/proc/self/fd/{descriptor}" if regular else os.devnull, os.O_RDONLY
        )
    except OSError:
        opened = os.open(os.devnull, os.O_RDONLY)
    if opened != 0:
        os.dup2(opened, 0)
        os.close(opened)
