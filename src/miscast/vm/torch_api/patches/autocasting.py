"""Regions of autocast: who made each, and the end of the outermost one, where cast weights are forgotten.

Accelerate and Transformers ask for half precision by settings; an Accelerator's region without one does nothing.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import torch

from ....running.precision.requested import HALF
from ....running.process.patching import Patch, around
from ...provenance.origin import places

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

    from ...machine import VirtualMachine

_DTYPES = {"fp16": "float16", "bf16": "bfloat16"}


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """Patch `torch.clear_autocast_cache`, and the creation, entry and exit of `torch.autocast`."""
    yield from _regions(vm)

    def clear(original: Callable[[], None]) -> None:
        vm.dispatcher.autocast.clear()
        original()

    yield around(torch, "clear_autocast_cache", clear)


def _regions(vm: VirtualMachine) -> Iterator[Patch]:
    """Yield a region is of the line that made it: a wrapped `forward` is entered from everywhere."""
    made: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()
    requests: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()
    requested = vm.observed.requested

    def make(init: Any, self: Any, *args: Any, **kwargs: Any) -> None:
        made[self] = places()[0]
        init(self, *args, **kwargs)

    def begin(enter: Any, self: Any) -> Any:
        vm.observed.entered(self, made.get(self))
        entered = enter(self)
        if self._enabled and torch.is_grad_enabled():
            vm.numerics.training.region(self.fast_dtype)
        if self._enabled and self.fast_dtype in HALF:
            dtype = str(self.fast_dtype)[6:]
            asks = f'autocast("{self.device}") requests {dtype}'
            requests[self] = requested.enter(
                made.get(self), "autocast", "region", asks, dtype
            )
        return entered

    def end(leave: Any, self: Any, *args: Any) -> Any:
        vm.observed.left(self)
        requested.leave(requests.pop(self, None))
        return leave(self, *args)

    yield around(torch.autocast, "__init__", make)
    yield around(torch.autocast, "__enter__", begin)
    yield around(torch.autocast, "__exit__", end)


def _accelerate(vm: VirtualMachine, module: ModuleType) -> Iterator[Patch]:
    """Return patches by which an Accelerator's `mixed_precision` and `autocast` are requests."""
    requested = vm.observed.requested

    def make(init: Any, self: Any, *args: Any, **kwargs: Any) -> None:
        init(self, *args, **kwargs)
        mode = self.mixed_precision
        if mode in _DTYPES:
            op = f"mixed_precision={mode!r}"
            requested.setting(places()[0], op, _DTYPES[mode])

    def region(autocast: Any, self: Any, *args: Any, **kwargs: Any) -> Any:
        entered = autocast(self, *args, **kwargs)
        user, library = places()
        off = self.mixed_precision == "no" and library is None
        return without_effect(user, entered) if off else entered

    @contextmanager
    def without_effect(place: Any, entered: Any) -> Iterator[None]:
        says = 'Accelerator.autocast() has no effect with mixed_precision="no"'
        request = requested.enter(place, "autocast", "accelerator", says, "bfloat16")
        try:
            with entered:
                yield
        finally:
            requested.leave(request)

    yield around(module.Accelerator, "__init__", make)
    yield around(module.Accelerator, "autocast", region)


def _transformers(vm: VirtualMachine, module: ModuleType) -> Iterator[Patch]:
    """Return the patch by which `TrainingArguments(fp16=True)` is a request."""
    kind = module.TrainingArguments

    def made(original: Any, self: Any) -> None:
        original(self)
        for mode, dtype in _DTYPES.items():
            if getattr(self, mode):
                op = f"{kind.__name__}({mode}=True)"
                vm.observed.requested.setting(places()[0], op, dtype)

    yield around(kind, "__post_init__", made)


def _loading(vm: VirtualMachine, module: ModuleType) -> Iterator[Patch]:
    """Return the patch by which the dtype of `load_checkpoint_and_dispatch` is a request."""
    name = "load_checkpoint_and_dispatch"

    def load(original: Any, model: Any, *args: Any, **kwargs: Any) -> Any:
        found = original(model, *args, **kwargs)
        vm.observed.requested.loaded(name, kwargs.get("dtype"), found)
        return found

    yield around(module, name, load)


LATER = {
    "accelerate.big_modeling": _loading,
    "accelerate.accelerator": _accelerate,
    "transformers.training_args": _transformers,
}
