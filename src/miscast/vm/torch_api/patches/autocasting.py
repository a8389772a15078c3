"""The end of the outermost autocast region, where torch forgets its cast weights, and the virtual machine its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from ....process.patching import Patch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...machine import VirtualMachine


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """`torch.clear_autocast_cache`."""
    original = torch.clear_autocast_cache

    def clear() -> None:
        vm.dispatcher.autocast.clear()
        original()

    yield Patch(torch, "clear_autocast_cache", clear)
