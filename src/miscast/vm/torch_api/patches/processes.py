"""Processes and threads that the program starts or ends: they run on the machine, and an end still brings the report.

`mp.spawn(fn, nprocs=8)` calls `fn` once, in this process, as rank 0 of 8; so does `elastic_launch(config, fn)(…)`, and
`torchrun` called from within a program: no agent is started, which would look for others on the network.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

import torch.multiprocessing

from ....running.launching.torchrun import PORT, environment
from ....running.process.environment import put
from ....running.process.patching import Patch, around
from ...provenance.on_behalf import theirs
from ...provenance.origin import locate, places

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import ModuleType

    from ...machine import VirtualMachine

_KILL = getattr(signal, "SIGKILL", None)


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """Patch what starts processes and threads; `os._exit`, and `os.kill` of the program itself."""
    owner_pid, end = os.getpid(), os._exit

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

    yield Patch(os, "_exit", leave)
    yield Patch(
        os, "kill", _sending(vm, os.kill, lambda: (owner_pid, 0, -os.getpgrp()))
    )
    if hasattr(os, "killpg"):
        yield Patch(os, "killpg", _sending(vm, os.killpg, lambda: (0, os.getpgrp())))

    # as torch's, whose `join` is given by position, too
    def spawn(
        fn: Any, args: Any = (), nprocs: int = 1, join: Any = True, *_: Any, **__: Any
    ) -> _Joined | None:
        theirs(fn, _rank_of(vm, nprocs, "torch.multiprocessing.spawn"), *args)
        return None if join else _Joined()

    for owner in (torch.multiprocessing, sys.modules["torch.multiprocessing.spawn"]):
        yield Patch(owner, "spawn", spawn)
        yield Patch(owner, "start_processes", spawn)
    started: list[threading.Thread] = []
    vm.leaving.append(lambda: _ended(started))
    # the one method that every thread of any class runs
    yield around(threading.Thread, "_bootstrap_inner", _begun, vm, started, owner_pid)


def _begun(
    vm: VirtualMachine,
    started: list[threading.Thread],
    owner_pid: int,
    original: Callable[[threading.Thread], None],
    thread: threading.Thread,
) -> None:
    if os.getpid() != owner_pid:
        original(thread)
        return
    started.append(thread)
    with vm.watching():
        original(thread)


def _ended(started: list[threading.Thread]) -> None:
    """Wait briefly for threads to end; Python would wait at its end."""
    for thread in started:
        if not thread.daemon and thread is not threading.current_thread():
            thread.join(timeout=5)


def _launcher(vm: VirtualMachine, module: ModuleType) -> Iterator[Patch]:
    def launch_agent(
        config: Any, entrypoint: Any, args: Any, *_: Any, **__: Any
    ) -> dict[int, Any]:
        size, before = config.max_nodes * config.nproc_per_node, dict(os.environ)
        rank = _rank_of(vm, size, "torch.distributed.launcher")
        os.environ.update(environment(rank, size, PORT))
        try:
            if callable(entrypoint):
                return {rank: theirs(entrypoint, *args)}
            # a script: `subprocesses` looks at it
            theirs(subprocess.run, [entrypoint, *args], check=True)
            return {rank: None}
        finally:
            put(before)

    yield Patch(module, "launch_agent", launch_agent)


LATER = {"torch.distributed.launcher.api": _launcher}


def _sending(
    vm: VirtualMachine, kill: Any, own: Callable[[], Iterable[int]]
) -> Callable[[int, int], None]:
    """Have a signal that ends the program itself bring the report first; `own`: the numbers that mean it."""
    owner_pid = os.getpid()

    def send(to: int, number: int) -> None:
        last_words = vm.last_words if os.getpid() == owner_pid else None
        if last_words is not None and number == _KILL and to in own():
            vm.recorder.ended = f"the program killed itself{_here()}"
            last_words()
        theirs(kill, to, number)

    return send


def _rank_of(vm: VirtualMachine, size: int, what: str) -> int:
    """Return the rank that runs in this process, of `size` that the program starts."""
    if vm.gathering is not None and size == vm.gathering.world.size:
        return vm.gathering.world.rank  # the other ranks have processes of their own
    if size > 1:
        vm.recorder.note(f"{what}: only rank 0 of {size} ran, in this process")
    return 0


class _Joined:
    """The result of `mp.spawn(…, join=False)`: ended processes."""

    processes: tuple[()] = ()
    sentinels: tuple[()] = ()

    def join(
        self, timeout: float | None = None, grace_period: float | None = None
    ) -> bool:
        """Return all have."""
        return True

    def pids(self) -> list[int]:
        """Return an empty list, as all processes have ended."""
        return []


def _here() -> str:
    """Return where the program is: " at train.py:12"."""
    here = locate(places(sys._getframe(2))[0])
    return f" at {here.file}:{here.line}" if here else ""
