"""Signals to strangers are not sent: only this process and its descendants get them."""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from ...running.process.patching import Patch
from . import real
from .changing import fail
from .spoken import of_os

if TYPE_CHECKING:
    from .layer import Layer


def patches(layer: Layer) -> Iterator[Patch]:
    """Patch `os.kill`, `os.killpg`, `signal.pidfd_send_signal`."""
    yield from of_os({"kill": partial(_kill, layer), "killpg": partial(_killpg, layer)})
    if hasattr(signal, "pidfd_send_signal"):
        by_fd = _by_fd(layer, signal.pidfd_send_signal)
        yield Patch(signal, "pidfd_send_signal", by_fd)


def _kill(layer: Layer, original: Any) -> Callable[[int, int], None]:
    def kill(pid: int, number: int) -> None:
        if not number or _may_signal(layer, pid):
            original(pid, number)
        elif pid > 0:
            # whether there is one, and one may: ProcessLookupError, PermissionError
            original(pid, 0)
            layer.note("signal", f"{_spelt(number)} to process {pid}")
        else:
            layer.note(
                "signal", f"{_spelt(number)} to process group {-pid or os.getpgrp()}"
            )

    return kill


def _killpg(layer: Layer, original: Any) -> Callable[[int, int], None]:
    def killpg(group: int, number: int) -> None:
        if (
            not layer.on
            or not number
            or (group > 0 and group != os.getpgrp() and _descends(group))
        ):
            original(group, number)
            return
        original(group, 0)
        layer.note("signal", f"{_spelt(number)} to process group {group}")

    return killpg


def _by_fd(layer: Layer, original: Any) -> Callable[..., None]:
    def pidfd_send_signal(pidfd: int, number: int, *rest: Any) -> None:
        with real.open_file(f"/proc/self/fdinfo/{pidfd}") as file:
            found = [line.split()[1] for line in file if line.startswith("Pid:")]
        pid = int(found[0]) if found else 0
        if not number or _may_signal(layer, pid):
            original(pidfd, number, *rest)
        elif pid < 0:
            raise fail(errno.ESRCH, str(pid))
        else:
            layer.note("signal", f"{_spelt(number)} to process {pid}")

    return pidfd_send_signal


def _spelt(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _may_signal(layer: Layer, pid: int) -> bool:
    return not layer.on or pid == os.getpid() or (pid > 0 and _descends(pid))


def _descends(pid: int) -> bool:
    """Check whether a process is a child of this one, or a child's child where /proc says so."""
    if hasattr(os, "waitid"):
        try:
            os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            pass
        else:
            return True
    for _ in range(64):
        try:
            with real.open_file(f"/proc/{pid}/stat") as file:
                pid = int(file.read().rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            return False
        if pid == os.getpid():
            return True
    return False
