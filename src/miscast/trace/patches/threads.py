"""Threads that the program starts run on the same machine."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

from ..patching import Patch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..vm import VirtualMachine


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """`threading.Thread`, by the one method that every thread passes whatever class it is of."""
    original = threading.Thread._bootstrap_inner  # type: ignore[attr-defined]
    owner = os.getpid()

    def bootstrap(self: threading.Thread) -> None:
        if os.getpid() != owner:
            original(self)
            return
        with vm.watching():
            original(self)

    yield Patch(threading.Thread, "_bootstrap_inner", bootstrap)
