"""Regions of autocast: who made each, and the end of the outermost one, where cast weights are forgotten."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import torch

from ....process.patching import Patch
from ....provenance.origin import places

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...machine import VirtualMachine


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """`torch.clear_autocast_cache`, and how `torch.autocast` is made, entered and left."""
    yield from _regions(vm)
    original = torch.clear_autocast_cache

    def clear() -> None:
        vm.dispatcher.autocast.clear()
        original()

    yield Patch(torch, "clear_autocast_cache", clear)


def _regions(vm: VirtualMachine) -> Iterator[Patch]:
    """A region is of the line that made it: a wrapped `forward` is entered from everywhere."""
    kind: Any = torch.autocast
    init, enter, leave = kind.__init__, kind.__enter__, kind.__exit__
    made: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()

    @wraps(init)
    def make(self: Any, *args: Any, **kwargs: Any) -> None:
        made[self] = places()[0]
        init(self, *args, **kwargs)

    @wraps(enter)
    def begin(self: Any) -> Any:
        vm.observed.entered(self, made.get(self))
        entered = enter(self)
        if self._enabled and torch.is_grad_enabled():
            vm.numerics.training.region(self.fast_dtype)
        return entered

    @wraps(leave)
    def end(self: Any, *args: Any) -> Any:
        vm.observed.left(self)
        return leave(self, *args)

    yield Patch(kind, "__init__", make)
    yield Patch(kind, "__enter__", begin)
    yield Patch(kind, "__exit__", end)
