"""Threads that the program starts run on the same machine."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

from ....running.process.patching import Patch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...machine import VirtualMachine


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """Patch `threading.Thread` at the one method that every thread of any class runs."""
    started: list[threading.Thread] = []
    vm.leaving.append(lambda: _ended(started))
    original = threading.Thread._bootstrap_inner  # type: ignore[attr-defined]
    owner = os.getpid()

    def bootstrap(self: threading.Thread) -> None:
        if os.getpid() != owner:
            original(self)
            return
        started.append(self)
        with vm.watching():
            original(self)

    yield Patch(threading.Thread, "_bootstrap_inner", bootstrap)


def _ended(started: list[threading.Thread]) -> None:
    """Wait briefly for threads to end; Python would wait at its end."""
    for thread in started:
        if not thread.daemon and thread is not threading.current_thread():
            thread.join(timeout=5)
