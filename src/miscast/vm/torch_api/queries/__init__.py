"""Answers of torch about its devices while the virtual machine is on: one file per topic.

    state = State()
    with forgotten(), applied(patches(find("4xv100"), state)):
        torch.cuda.device_count()            # 4
        torch.cuda.get_device_capability()   # (7, 0)

The tables answer as the driver would, below torch's Python code, wherever there is a way: the running torch's own rules
then follow. Two things cannot be taken back: torch's C++ calls `torch.cuda._lazy_init` when it is first given a cuda
device, and remembers for good that it succeeded; an npu machine names torch's spare backend "npu" for good.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import (
    absent,
    accelerator,
    builds,
    device,
    memory,
    mps,
    npu,
    parallel,
    remembered,
    rng,
    streams,
    xpu,
)
from .remembered import forgotten
from .rng import is_virtual
from .state import State

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ....core.machines import Machine
    from ....running.process.patching import Patch

__all__ = ["State", "forgotten", "is_virtual", "patches"]

_TABLES = {
    "cpu": (absent, remembered),
    "cuda": (absent, remembered, builds, device, memory, streams, rng, accelerator, parallel),
    "mps": (absent, remembered, mps, rng, accelerator),
    "npu": (absent, remembered, npu, rng, accelerator, parallel),
    "xpu": (absent, remembered, xpu, rng, accelerator, parallel),
}  # fmt: skip


def patches(machine: Machine, state: State) -> Iterator[Patch]:
    """Yield every attribute to replace on this machine."""
    for table in _TABLES[machine.device]:
        yield from table.patches(machine, state)
