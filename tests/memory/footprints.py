"""Runs a callable on a virtual machine, and tells what its devices held."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from miscast.core import machines
from miscast.core.event import Memory, Trace
from miscast.running.program.run import run_callable

KIND = ("parameters", "buffers", "gradients", "optimizer", "activations", "temporaries")


def run(fn: Callable[..., Any], *args: Any, machine: str = "a100") -> Trace:
    """The trace of a run that met no error."""
    trace, _ = run_callable(fn, args, {}, machines.find(machine))
    assert trace.ended is None, trace.ended
    return trace


def held(fn: Callable[..., Any], *args: Any, device: str = "cuda:0", machine: str = "a100") -> Memory:
    """The peak of one device; its parts add up."""
    memory = next(m for m in run(fn, *args, machine=machine).memory if m.device == device)
    assert sum(getattr(memory, kind) for kind in KIND) == memory.peak
    return memory


def blocks(*sizes: int) -> int:
    """Bytes of whole blocks of 512."""
    return sum(-(-size // 512) * 512 for size in sizes)
