"""Patch how tensors of subclasses are made: parameters, and classes that handle ops themselves."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import torch

from ....numbers.ranges.names import WEIGHTS
from ....numbers.ranges.seen import began_with
from ....running.process.patching import Patch
from ....running.torch_abi import TensorBase, is_excluded
from ...key import KEY, KEYSET, Exclude
from ...memory import become
from ...memory_ledger import PARAMETERS
from ...provenance.record import Record, attach, device_of, find
from ...virtualize import virtualize
from ...wrapper_subclasses import dispatches

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...machine import VirtualMachine

_Base: Any = TensorBase
_DEVICE = 6  # where `_make_wrapper_subclass` takes a device, after the class


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """Yield the makers, of torch.Tensor, and the swap of such parameters: it refuses those with weak references."""
    yield Patch(
        torch.Tensor, "_make_subclass", staticmethod(_noticed(vm, _make_subclass))
    )
    yield Patch(
        torch.Tensor, "_make_wrapper_subclass", staticmethod(_noticed(vm, _wrapper(vm)))
    )
    yield Patch(torch.Tensor, "as_subclass", _as_subclass)
    none_of_ours = SimpleNamespace(getweakrefs=lambda _: [])
    yield Patch(torch.utils, "weakref", none_of_ours)


def _noticed(vm: VirtualMachine, make: Any) -> Any:
    """Return a maker of tensors of a class, which may take ops into its own hands."""

    def made(cls: type, *args: Any, **kwargs: Any) -> Any:
        if dispatches(cls):
            vm.dispatcher.wrapped.begin(cls)
        return make(cls, *args, **kwargs)

    return made


def _wrapper(vm: VirtualMachine) -> Any:
    """Return the maker of tensors without memory; C++ knows no device but `meta`, which ours is kept beside."""

    def make(cls: type, *args: Any, **kwargs: Any) -> Any:
        device = args[_DEVICE] if len(args) > _DEVICE else kwargs.get("device")
        asked = vm.indexed(device) if device is not None else device_of("cpu")
        if asked.type == "cpu":
            return _Base._make_wrapper_subclass(cls, *args, **kwargs)
        if len(args) > _DEVICE:
            args = (*args[:_DEVICE], torch.device("meta"), *args[_DEVICE + 1 :])
        else:
            kwargs["device"] = torch.device("meta")
        made = _Base._make_wrapper_subclass(cls, *args, **kwargs)
        attach(made, Record(asked, None, None))
        return made

    return make


def _make_subclass(
    cls: type, data: torch.Tensor, require_grad: bool = False, **more: Any
) -> torch.Tensor:
    """Make an nn.Parameter or other subclass; a parameter loses its values, and records their initial magnitude."""
    if not is_excluded(KEY):
        with Exclude(KEYSET):
            data = virtualize(data)
            record = find(data)
            made: torch.Tensor = _Base._make_subclass(cls, data, require_grad, **more)
            if issubclass(cls, torch.nn.Parameter):
                become(made, PARAMETERS)
                if record is not None and data.is_floating_point():
                    record.moments, record.made_by = began_with(data), WEIGHTS
                    record.twin = None
            return made
    inner: torch.Tensor = _Base._make_subclass(cls, data, require_grad, **more)
    return inner


def _as_subclass(self: torch.Tensor, cls: type) -> torch.Tensor:
    with Exclude(KEYSET):
        made: torch.Tensor = _Base.as_subclass(virtualize(self), cls)
        return made
