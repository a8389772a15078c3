"""What torch answers about its devices; the answers themselves are in `trace/queries`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .. import queries
from ..patching import Patch

if TYPE_CHECKING:
    from ..vm import VirtualMachine


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """`torch.cuda`, `torch.accelerator` and their kin."""
    yield from queries.patches(vm.machine, vm.devices)
