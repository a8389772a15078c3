"""Processes that the program would start: the first one runs here, the others are left out, and the report says so."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import torch.multiprocessing

from ..patching import Patch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..vm import VirtualMachine


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """`torch.multiprocessing.spawn` and `start_processes`."""

    def spawn(fn: Callable[..., Any], args: tuple[Any, ...] = (), nprocs: int = 1, *_: Any, **__: Any) -> None:
        if nprocs > 1:
            vm.recorder.note(f"torch.multiprocessing.spawn: rank 0 of {nprocs} ran, in this process")
        fn(0, *args)

    for owner in (torch.multiprocessing, sys.modules["torch.multiprocessing.spawn"]):
        yield Patch(owner, "spawn", spawn)
        yield Patch(owner, "start_processes", spawn)
