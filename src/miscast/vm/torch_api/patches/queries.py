"""Patches for queries about torch's devices. The answers are in `vm/torch_api/queries`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .. import queries

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ....running.process.patching import Patch
    from ...machine import VirtualMachine


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """Patch `torch.cuda`, `torch.accelerator` and similar modules."""
    yield from queries.patches(vm.machine, vm.devices)
