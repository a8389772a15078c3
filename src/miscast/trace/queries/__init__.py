"""What torch answers about its devices while the virtual machine is on: one file per thing that is asked.

    state = State()
    with applied(patches(find("4xv100"), state)):
        torch.cuda.device_count()            # 4
        torch.cuda.get_device_capability()   # (7, 0)

The tables answer as the driver would, below torch's Python code, wherever there is a way: the running torch's own rules
then follow. Two things cannot be taken back: torch's C++ calls `torch.cuda._lazy_init` when it is first given a cuda device,
and remembers for the life of the process that it succeeded; an npu machine names torch's spare backend "npu" for good.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator

import torch

from ...machines import Machine
from ..patching import Patch
from . import absent, accelerator, builds, device, graphs, memory, mps, npu, parallel, rng, streams, tuning
from .state import State

__all__ = ["State", "patches"]

_TABLES = {
    "cpu": (absent,),
    "cuda": (absent, builds, device, memory, streams, graphs, rng, accelerator, parallel, tuning),
    "mps": (absent, mps, rng, accelerator),
    "npu": (absent, npu, rng, accelerator, parallel),
}


def patches(machine: Machine, state: State) -> Iterator[Patch]:
    """Every attribute to replace. First imports what would otherwise keep a virtual class beyond the machine's end."""
    if machine.device != "cpu" or torch.backends.cuda.is_built():  # type: ignore[no-untyped-call]
        importlib.import_module("torch._dynamo")
    for table in _TABLES[machine.device]:
        yield from table.patches(machine, state)
