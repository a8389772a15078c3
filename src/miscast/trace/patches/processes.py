"""Processes that the program starts or ends: the first rank runs here, and an end still brings the report."""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING, Any

import torch.multiprocessing

from ..origin import locate, places
from ..patching import Patch
from ..theirs import theirs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..vm import VirtualMachine

_KILL = getattr(signal, "SIGKILL", None)


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """`torch.multiprocessing.spawn` and `start_processes`; `os._exit`, and `os.kill` of the program itself."""
    owner_pid, end, kill = os.getpid(), os._exit, os.kill

    def leave(status: int) -> None:
        if os.getpid() != owner_pid:
            end(status)
        if vm.last_words is None:
            raise SystemExit(status)
        if status:
            vm.recorder.ended = f"the program exited with {status!r} (os._exit){_here()}"
        vm.last_words()

    def send(pid: int, number: int) -> None:
        if pid == owner_pid == os.getpid() and number == _KILL and vm.last_words is not None:
            vm.recorder.ended = f"the program killed itself{_here()}"
            vm.last_words()
        theirs(kill, pid, number)

    yield Patch(os, "_exit", leave)
    yield Patch(os, "kill", send)

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


def _here() -> str:
    """Where the program is: " at train.py:12"."""
    here = locate(places(sys._getframe(2))[0])
    return f" at {here.file}:{here.line}" if here else ""
