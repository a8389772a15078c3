"""Patch what changes memory without an op, and mark the memory of parameters and buffers."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

import torch

from ....running.process.patching import Patch
from ...memory import NAME, become
from ...memory_ledger import BUFFERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ...machine import VirtualMachine


def patches(_vm: VirtualMachine) -> Iterator[Patch]:
    """Patch the buffers of modules, and the resizing of storages."""
    yield Patch(
        torch.nn.Module, "register_buffer", _then(torch.nn.Module.register_buffer)
    )
    yield Patch(torch.nn.Module, "_apply", _then(torch.nn.Module._apply))
    yield Patch(torch.UntypedStorage, "resize_", _resize(torch.UntypedStorage.resize_))


def _then(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def call(self: torch.nn.Module, *args: Any, **kwargs: Any) -> Any:
        out = original(self, *args, **kwargs)
        for buffer in self._buffers.values():
            become(buffer, BUFFERS)
        return out

    return call


def _resize(original: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(original)
    def resize(self: torch.UntypedStorage, size: int) -> Any:
        out = original(self, size)
        block = getattr(self, NAME, None)
        if block is not None:
            block.resize(size)
        return out

    return resize
