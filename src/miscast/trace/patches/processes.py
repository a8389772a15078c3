"""Processes that the program starts or ends: the first rank runs here, and an end still brings the report."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import torch.multiprocessing

from ..patching import Patch
from ..theirs import theirs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..vm import VirtualMachine


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """`torch.multiprocessing.spawn` and `start_processes`; `os._exit`."""
    owner_pid, end = os.getpid(), os._exit

    def leave(status: int) -> None:
        if os.getpid() != owner_pid:
            end(status)
        raise SystemExit(status)

    yield Patch(os, "_exit", leave)

    def spawn(fn: Callable[..., Any], args: tuple[Any, ...] = (), nprocs: int = 1, *_: Any, **__: Any) -> None:
        if vm.gathering is not None and nprocs == vm.gathering.world.size:
            theirs(fn, vm.gathering.world.rank, *args)  # the other ranks have processes of their own
            return
        if nprocs > 1:
            vm.recorder.note(f"torch.multiprocessing.spawn: rank 0 of {nprocs} ran, in this process")
        theirs(fn, 0, *args)

    for owner in (torch.multiprocessing, sys.modules["torch.multiprocessing.spawn"]):
        yield Patch(owner, "spawn", spawn)
        yield Patch(owner, "start_processes", spawn)
