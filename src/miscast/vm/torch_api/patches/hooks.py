"""Hooks on what autograd saves (checkpointing, offloading), and on gradients: the program's code, though amid an op."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

import torch

from ....running.process.patching import Patch, around
from ....running.torch_abi import OwnKeys
from ....torch_facts.contracts import Input
from ....torch_facts.contracts.spelling import Spelling
from ...key import KEY, KEYSET, Exclude
from ...provenance.on_behalf import theirs
from ...provenance.record import Record, attach, find, is_meta

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ...machine import VirtualMachine


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """Yield `Tensor.register_hook`, and the one function that `saved_tensors_hooks`, and all built on it, pass."""
    yield around(torch.Tensor, "register_hook", _register, vm)
    saved = torch._C._autograd
    yield around(saved, "_push_saved_tensors_default_hooks", _push, vm)


def _push(
    vm: VirtualMachine,
    original: Callable[..., None],
    pack: Callable[[torch.Tensor], Any],
    unpack: Callable[[Any], torch.Tensor],
) -> None:
    watched = _watched(vm, pack)

    def pack_labelled(value: torch.Tensor) -> Any:
        """Label first: an op packs what it computes before its result is labelled, and a later look must find that."""
        if is_meta(value) and find(value) is None:
            attach(value, Record(vm.dispatcher.last_device, None, None))
        return watched(value)

    original(pack_labelled, _watched(vm, unpack))


def _watched(vm: VirtualMachine, hook: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Wrap a hook so that its ops and requested devices are handled like the rest of the program's."""

    @wraps(hook)
    def call(value: Any) -> Any:
        with vm.dispatcher.composed.at(0), OwnKeys(KEY, False):
            return theirs(hook, value)

    return call


def _register(
    vm: VirtualMachine,
    original: Callable[..., Any],
    self: torch.Tensor,
    hook: Callable[[torch.Tensor], Any],
) -> Any:
    """Register the hook; a result that autograd would refuse is reported, and made to fit."""

    @wraps(hook)
    def call(gradient: torch.Tensor) -> Any:
        given = theirs(hook, gradient)
        if not isinstance(given, torch.Tensor):
            return given
        dtype, device = given.dtype, given.device
        moved = device.type != gradient.device.type
        if dtype is gradient.dtype and not moved:
            return given
        name = getattr(hook, "__name__", type(hook).__name__)
        error = f"hook '{name}' has changed the type of value (was {_type(gradient)} got {_type(given)})"
        with Exclude(KEYSET):
            vm.recorder.refused(
                "Tensor.register_hook",
                "result",
                {"result": given},
                str(gradient.device) if moved else str(gradient.dtype)[6:],
                error,
                kind="device" if moved else "dtype",
            )
        return given.to(gradient.device, gradient.dtype)

    return original(self, call)


def _type(tensor: torch.Tensor) -> str:
    dtype, device = str(tensor.dtype)[6:], str(tensor.device)
    return Spelling(Input(name="", dtype=dtype, device=device, dim=tensor.dim())).type
