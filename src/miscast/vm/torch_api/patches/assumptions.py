"""Modules that are called with what the user has said something of: `--assume`."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

import torch

from ....running.process.patching import Patch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...machine import VirtualMachine


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """Patch `nn.Module.__call__` if `--assume` says something of its arguments."""
    assumed = vm.numerics.assumptions
    if not assumed.ranges:
        return
    original = torch.nn.Module.__call__

    @wraps(original)
    def call(self: torch.nn.Module, *args: Any, **kwargs: Any) -> Any:
        assumed.arguments(self.forward, args, kwargs)
        return original(self, *args, **kwargs)

    yield Patch(torch.nn.Module, "__call__", call)
