"""A program, or a callable, as every rank of a world of `size` runs it on a virtual machine."""

from __future__ import annotations

import importlib
import math
import os
import socket
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ...core.event import SAMPLES, Trace
from ...core.machines import Machine
from ...core.meeting import MultiRankTrace
from ...vm.collectives.channel import Channel
from ...vm.outside import Outside
from ..launching.command_line import LOCAL_RANK
from ..launching.entry import CannotRunError
from ..program.run import run_callable, run_program, without_torch
from ..program.warm_process import libraries
from .launch import Heard, launched

MOST = 128
"""Ranks of one world at most: each is a process."""

Watch = Callable[[Callable[[], str]], None]
Prepare = Callable[[Any], None]
"""A function that is applied to the virtual machine of a rank, in its process."""
_Run = Callable[[Callable[[Any], None]], Trace]


def run_ranks(  # noqa: PLR0913 - the options of `miscast check`
    size: int,
    target: str,
    args: Sequence[str],
    machine: Machine,
    *,
    batches: int = 2,
    box: Outside | None = None,
    watch: Watch | None = None,
    heard: Heard | None = None,
    note: str = "",
    reach: float = 0.0,
    samples: int = SAMPLES,
    end: float = math.inf,
    prepare: Prepare | None = None,
) -> MultiRankTrace:
    """Run `target` as `run_program` does, on each of `size` ranks. `heard` receives events of a rank at once.

    `prepare` gets the machine of each rank before its program begins.

    What the first rank left is forced, in its process alone: `reach`, `samples` and `end` are those of `run_program`.

    Raises CannotRunError where there is nothing to run, or the machine has fewer devices than there are ranks.
    """

    def run(begin: Callable[[Any], None]) -> Trace:
        vms: list[Any] = []

        def noted(vm: Any) -> None:
            begin(vm)
            vms.append(vm)
            if prepare is not None:
                prepare(vm)
            if note:
                vm.recorder.note(note)

        own = [word.replace(LOCAL_RANK, os.environ["LOCAL_RANK"]) for word in args]
        trace = run_program(
            target,
            own,
            machine,
            batches=batches,
            box=box,
            watch=noted,
            reach=0.0 if int(os.environ["RANK"]) else reach,
            samples=samples,
            end=end,
        )
        scenes = vms[0].scenes.all() if vms and vms[0].scenes is not None else ()
        return replace(trace, modules=tuple(libraries()), scenes=scenes)

    return _all(size, machine, run, watch, heard)


def call_ranks(  # noqa: PLR0913 - the options of `miscast.check`
    size: int,
    fn: Callable[..., Any],
    args: Sequence[Any],
    kwargs: dict[str, Any],
    machine: Machine,
    *,
    batches: int = 2,
    box: Outside | None = None,
    prepare: Prepare | None = None,
) -> MultiRankTrace:
    """Call `fn(*args, **kwargs)` as each of `size` ranks; what it returns stays in its process."""

    def run(begin: Callable[[Any], None]) -> Trace:
        def prepared(vm: Any) -> None:
            begin(vm)
            if prepare is not None:
                prepare(vm)

        return run_callable(
            fn, args, kwargs, machine, batches=batches, box=box, watch=prepared
        )[0]

    return _all(size, machine, run)


def _all(
    size: int,
    machine: Machine,
    run: _Run,
    watch: Watch | None = None,
    heard: Heard | None = None,
) -> MultiRankTrace:
    _fits(size, machine)
    try:
        torch = importlib.import_module("torch")
        # once, before the forks: seconds each otherwise
        importlib.import_module("...vm.machine", __package__)
        importlib.import_module("...vm.dynamo", __package__).imported()
    except ImportError as error:
        raise without_torch(error) from error
    port = _free_port()

    def rank(number: int, channel: Channel) -> Trace:
        return _run(number, size, port, channel, run)

    unseen = Trace(machine=machine.spec, torch=str(torch.__version__))
    return launched(size, rank, unseen, watch, heard)


def _fits(size: int, machine: Machine) -> None:
    if not 1 <= size <= MOST:
        raise CannotRunError(f"--ranks {size}: expected 1 to {MOST} ranks")
    if not hasattr(os, "fork"):
        raise CannotRunError(
            "--ranks needs a system that can fork, such as Linux or macOS"
        )
    if machine.device != "cpu" and size > machine.count:
        devices = f"{machine.count} device{'' if machine.count == 1 else 's'}"
        raise CannotRunError(
            f"{size} ranks on {machine.spec}, which has {devices}: each rank needs its own device, use --machine "
            f"{size}x{machine.name}"
        )


def _free_port() -> int:
    """Return a port for a store that the program itself may open (MASTER_PORT)."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _run(number: int, size: int, port: int, channel: Channel, run: _Run) -> Trace:
    """Run the program in the process of a rank."""
    import torch

    from ...vm.collectives.process_group import Gathering
    from ...vm.collectives.world import MultiRankTrace as Others
    from ...vm.streamed import telling
    from ..launching.torchrun import environment

    # A fork has none of the threads that OpenMP keeps for its parent, and would wait for them.
    torch.set_num_threads(1)
    os.environ.update(environment(number, size, port))

    def begin(vm: Any) -> None:
        vm.gathering = Gathering(vm, Others(number, size, channel))
        vm.saved.shared = True
        vm.recorder.heard = telling(channel.send, lambda: vm.recorder.ops)
        vm.recorder.begun()

    return run(begin)
