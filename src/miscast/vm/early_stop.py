"""A run that ends as soon as it has shown what was to be learnt from it."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..event import Call
    from .machine import VirtualMachine

_EVERY = 0.05


def told_after(
    vm: VirtualMachine, ops: int, tell: Callable[[tuple[Call, ...], int], None]
) -> None:
    """`tell` is called once so many ops have run, from a thread that looks now and then, with the broken contracts."""
    recorder = vm.recorder

    def look() -> None:
        while recorder.ops < ops:
            time.sleep(_EVERY)
        tell(recorder.calls(), recorder.ops)

    threading.Thread(target=look, name="miscast-until", daemon=True).start()
