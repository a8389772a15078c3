"""Processes that the program starts or ends: the first rank runs here, and an end still brings the report.

`mp.spawn(fn, nprocs=8)` calls `fn` once, in this process, as rank 0 of 8.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING, Any

import torch.multiprocessing

from ....process.patching import Patch
from ....provenance.on_behalf import theirs
from ....provenance.origin import locate, places

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...machine import VirtualMachine

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
            vm.recorder.ended = (
                f"the program exited with {status!r} (os._exit){_here()}"
            )
        vm.last_words()

    def send(pid: int, number: int) -> None:
        if (
            pid == owner_pid == os.getpid()
            and number == _KILL
            and vm.last_words is not None
        ):
            vm.recorder.ended = f"the program killed itself{_here()}"
            vm.last_words()
        theirs(kill, pid, number)

    yield Patch(os, "_exit", leave)
    yield Patch(os, "kill", send)

    # as torch's, whose `join` is given by position, too
    def spawn(
        fn: Any, args: Any = (), nprocs: int = 1, join: Any = True, *_: Any, **__: Any
    ) -> _Joined | None:
        theirs(fn, rank_of(vm, nprocs, "torch.multiprocessing.spawn"), *args)
        return None if join else _Joined()

    for owner in (torch.multiprocessing, sys.modules["torch.multiprocessing.spawn"]):
        yield Patch(owner, "spawn", spawn)
        yield Patch(owner, "start_processes", spawn)


def rank_of(vm: VirtualMachine, size: int, what: str) -> int:
    """The rank that runs in this process, of `size` that the program starts."""
    if vm.gathering is not None and size == vm.gathering.world.size:
        return vm.gathering.world.rank  # the other ranks have processes of their own
    if size > 1:
        vm.recorder.note(f"{what}: rank 0 of {size} ran, in this process")
    return 0


class _Joined:
    """What `mp.spawn(…, join=False)` gives: processes that have ended."""

    processes: tuple[()] = ()
    sentinels: tuple[()] = ()

    def join(
        self, timeout: float | None = None, grace_period: float | None = None
    ) -> bool:
        """All have."""
        return True

    def pids(self) -> list[int]:
        """None are left."""
        return []


def _here() -> str:
    """Where the program is: " at train.py:12"."""
    here = locate(places(sys._getframe(2))[0])
    return f" at {here.file}:{here.line}" if here else ""
