"""Forks of this process: how one begins, is silent, and ends."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn


def flush_streams() -> None:
    """Flush what was printed, as far as possible: the user or the program may have closed a stream."""
    for stream in (sys.stdout, sys.stderr):
        # it may be closed, full, or an object of the program's
        with suppress(Exception):
            stream.flush()


def forked(run: Callable[[], NoReturn], without: Iterable[int] = ()) -> int:
    """Return the id of a fork that runs this, without these descriptors of its parent's."""
    flush_streams()
    pid = os.fork()
    if pid == 0:
        try:
            for descriptor in without:
                os.close(descriptor)
            run()
        finally:
            os._exit(1)  # whatever fails, a fork does not go on as its parent
    return pid


def kill(pid: int) -> None:
    """Kill a child and the group that it leads; one that has only begun leads none yet."""
    for one in (os.killpg, os.kill):
        with suppress(OSError):
            one(pid, signal.SIGKILL)


def killed(pid: int) -> int:
    """Return the wait status of a child, after it and the group that it leads were killed, where they had not ended."""
    kill(pid)
    with suppress(ChildProcessError):
        return os.waitpid(pid, 0)[1]
    return 0


def how_ended(status: int) -> str:
    """Return a wait status in words: "SIGKILL", "exit code 3"."""
    if os.WIFSIGNALED(status):
        return signal.Signals(os.WTERMSIG(status)).name
    return f"exit code {os.waitstatus_to_exitcode(status)}"


def silence(*descriptors: int) -> None:
    """Discard what is written to these descriptors."""
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in descriptors:
        os.dup2(null, descriptor)
    os.close(null)


@contextmanager
def silenced(*descriptors: int) -> Iterator[None]:
    """Discard what is written to these descriptors within the block."""
    before = [os.dup(one) for one in descriptors]
    silence(*descriptors)
    try:
        yield
    finally:
        for own, copy in zip(descriptors, before, strict=True):
            os.dup2(copy, own)
            os.close(copy)
