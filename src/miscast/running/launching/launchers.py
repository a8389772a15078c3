"""Programs that start others: the first that a launcher would start is run in its place, as many times.

    torchrun --nproc-per-node 2 train.py            two ranks of train.py
    accelerate launch --mixed_precision fp16 t.py   t.py, with ACCELERATE_MIXED_PRECISION=fp16 in its environment

The launcher's own code runs on the virtual machine until then: it reads its options and its configuration itself, and
counts the machine's devices.
"""

from __future__ import annotations

import os
import subprocess
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from torch.distributed import run as torchrun

from ...vm.provenance.on_behalf import theirs
from ..process.everywhere import everywhere
from ..process.patching import Patch
from .command_line import LOCAL_RANK, Launch, Launching, Program, read

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_EXEC = {"execv": False, "execvp": False, "execve": True, "execvpe": True}


@contextmanager
def launching() -> Iterator[None]:
    """Raise Launching within the block when a Python program is to be started in another process."""
    with everywhere(list(_patches())):
        yield


def _patches() -> Iterator[Patch]:
    yield Patch(torchrun, "run", _run)
    yield Patch(subprocess.Popen, "__init__", _popen(subprocess.Popen.__init__))
    for name, with_environment in _EXEC.items():
        yield Patch(
            os, name, _exec(getattr(os, name), with_environment=with_environment)
        )


def _run(options: Any) -> None:
    """Replace `torch.distributed.run.run`, which accelerate and DeepSpeed's own launcher call, too."""
    nodes, _ = torchrun.parse_min_max_nnodes(options.nnodes)
    target = (
        f"-m {options.training_script}" if options.module else options.training_script
    )
    first = () if torchrun.get_use_env(options) else (f"--local-rank={LOCAL_RANK}",)
    raise Launching(
        Launch(
            Program(target, (*first, *options.training_script_args)),
            torchrun.determine_local_world_size(options.nproc_per_node),
            dict(os.environ),
            f"only the ranks of one of {nodes} nodes ran" if nodes > 1 else "",
        )
    )


def _popen(original: Callable[..., None]) -> Callable[..., None]:
    def __init__(self: Any, args: Any, *rest: Any, **options: Any) -> None:  # noqa: N807 - it stands for that
        _start(args, options.get("env"))
        theirs(original, self, args, *rest, **options)

    return __init__


def _exec(
    original: Callable[..., Any], *, with_environment: bool
) -> Callable[..., Any]:
    def execute(file: Any, args: Any, *rest: Any) -> Any:
        _start(args, rest[0] if with_environment and rest else None)
        return theirs(original, file, args, *rest)

    return execute


def _start(command: Any, environment: Mapping[Any, Any] | None) -> None:
    program = None if isinstance(command, (bytes, os.PathLike)) else read(command)
    if program is None:
        return
    given = {
        os.fsdecode(k): os.fsdecode(v)
        for k, v in (os.environ if environment is None else environment).items()
    }
    size, ranks = given.get("WORLD_SIZE", ""), 0
    # as DeepSpeed's launcher: the first of its ranks
    if {"RANK", "LOCAL_RANK"} <= given.keys() and size.isdecimal():
        ranks = int(size)
        own = "--local_rank=" + given["LOCAL_RANK"]
        named = (
            f"--local_rank={LOCAL_RANK}" if word == own else word
            for word in program.args
        )
        program = replace(program, args=tuple(named))
    raise Launching(Launch(program, ranks, given))
