"""The guard: the parent of the program's process, which sees how it ends and leaves nothing of it behind.

It forks the program, does what the process that asked tells it ("stop", "where"), and ends everything when the program
has ended, or when the process that asked is gone, however it went. It holds no torch and runs nothing of the program.
"""

from __future__ import annotations

import os
import select
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NoReturn

from ..core.event import Effect
from ..core.failure import Failures
from ..running.process import linux
from ..vm.collectives.channel import Unpacker, packed

WHERE = signal.SIGURG
"""Tells the program's process to write down where it is. Ignored by default, and used by hardly any program."""
_TICK = 0.05


@dataclass(frozen=True, slots=True)
class Guard:
    """`stream` leads to the process that asked. `effects` tells at the end what the layer holds, `clean` removes it."""

    stream: socket.socket
    effects: Callable[[], tuple[Effect, ...]]
    clean: Callable[[], None] = lambda: None

    def run(self, program: Callable[[], NoReturn]) -> NoReturn:
        """Fork `program`, watch over it, and end."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
            # those of a terminal are for the program, and for who asked
            signal.signal(number, signal.SIG_IGN)
        with suppress(OSError, AttributeError):
            linux.adopt_orphans()
        parent = os.getpid()
        pid = os.fork()
        if pid == 0:
            self.stream.close()
            for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
                signal.signal(number, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            linux.die_with_parent(parent)
            with suppress(OSError, AttributeError):
                # in a group of its own it could not read from a terminal
                if not os.isatty(0):
                    os.setpgid(0, 0)
            program()
        failures = Failures()
        status: int | None = None
        found: tuple[Effect, ...] = ()
        try:
            with failures.during("it supervised the program"):
                status = self._watch(pid)
            with failures.during("it stopped the program's subprocesses"):
                _end_all()
            with failures.during("it listed the program's files"):
                found = self.effects()
            said: dict[str, Any] = {
                "failed": failures.line,
                "traceback": failures.traceback,
            }
            if status is not None:
                said |= {
                    "ended": status,
                    "effects": [[effect.kind, effect.what] for effect in found],
                }
            with suppress(OSError):
                self.stream.sendall(packed(said))
        finally:
            self.clean()
            os._exit(0)

    def _watch(self, pid: int) -> int | None:
        """Return how the program ended, as of waitpid; None if nobody wants to know any more."""
        orders, waits, asks = Unpacker(), _waiter(pid), self.stream.fileno()
        while True:
            ready, _, _ = select.select(
                [asks, *waits], [], [], None if waits else _TICK
            )
            if asks in ready:
                try:
                    data = self.stream.recv(1 << 12)
                except OSError:
                    data = b""
                if not data:
                    return None
                for order, _ in orders.feed(data):
                    with suppress(OSError):
                        os.kill(pid, order["signal"])
            while True:
                ended, status = os.waitpid(-1, os.WNOHANG)  # orphans of the program too
                if ended == pid:
                    return status
                if ended == 0:
                    break


def _waiter(pid: int) -> list[int]:
    """Return a descriptor that becomes readable when a process ends; empty if the system has none."""
    try:
        return [os.pidfd_open(pid)]
    except (OSError, AttributeError):
        return []


def _end_all() -> None:
    """Kill what the program started and left running."""
    if os.getpid() == 1:
        with suppress(OSError):
            os.kill(-1, signal.SIGKILL)
    while True:
        for pid in _children():
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return


def _children() -> list[int]:
    try:
        with open(f"/proc/self/task/{os.getpid()}/children", encoding="ascii") as file:
            return [int(pid) for pid in file.read().split()]
    except OSError:
        return []
