"""Hooks on what autograd saves (checkpointing, offloading) are the program's code, though called amid an op."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

import torch

from ....running.process.patching import Patch
from ....running.torch_abi import OwnKeys
from ...key import KEY
from ...provenance.on_behalf import theirs
from ...provenance.record import Record, attach, find, is_meta

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ...machine import VirtualMachine


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """Yield the one function that `saved_tensors_hooks`, and all that is built on it, pass."""
    original = torch._C._autograd._push_saved_tensors_default_hooks

    def push(
        pack: Callable[[torch.Tensor], Any], unpack: Callable[[Any], torch.Tensor]
    ) -> None:
        watched = _watched(vm, pack)

        def pack_labelled(value: torch.Tensor) -> Any:
            """Return an op packs what it computes before its result is labelled.

            A later look must find the same device.
            """
            if is_meta(value) and find(value) is None:
                attach(value, Record(vm.dispatcher.last_device, None, None))
            return watched(value)

        original(pack_labelled, _watched(vm, unpack))

    yield Patch(torch._C._autograd, "_push_saved_tensors_default_hooks", push)


def _watched(vm: VirtualMachine, hook: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Wrap a hook so that its ops and requested devices are handled like the rest of the program's."""

    @wraps(hook)
    def call(value: Any) -> Any:
        with vm.dispatcher.composed.at(0), OwnKeys(KEY, False):
            return theirs(hook, value)

    return call
