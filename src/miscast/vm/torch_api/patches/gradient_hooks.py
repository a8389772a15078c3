"""`tensor.register_hook(f)`: what the hook gives back must have the gradient's dtype and device."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Any

import torch

from ....running.process.patching import Patch
from ....torch_facts.contracts import Input
from ....torch_facts.contracts.spelling import Spelling
from ...key import KEYSET, Exclude
from ...provenance.on_behalf import theirs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ...machine import VirtualMachine


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """Yield the method of torch.Tensor."""
    plain: Any = torch.Tensor.register_hook

    def register_hook(self: torch.Tensor, hook: Callable[[torch.Tensor], Any]) -> Any:
        return plain(self, _judged(vm, hook))

    yield Patch(torch.Tensor, "register_hook", register_hook)


def _judged(
    vm: VirtualMachine, hook: Callable[[torch.Tensor], Any]
) -> Callable[[torch.Tensor], Any]:
    """Wrap the hook; report a result that autograd would refuse, and make it fit."""

    @wraps(hook)
    def call(gradient: torch.Tensor) -> Any:
        given = theirs(hook, gradient)
        if not isinstance(given, torch.Tensor):
            return given
        dtype, device = given.dtype, given.device
        if dtype is gradient.dtype and device.type == gradient.device.type:
            return given
        name = getattr(hook, "__name__", type(hook).__name__)
        error = f"hook '{name}' has changed the type of value (was {_type(gradient)} got {_type(given)})"
        moved = device.type != gradient.device.type
        expected = str(gradient.device) if moved else str(gradient.dtype)[6:]
        with Exclude(KEYSET):
            vm.recorder.refused(
                "Tensor.register_hook",
                "result",
                {"result": given},
                expected,
                error,
                kind="device" if moved else "dtype",
            )
        return given.to(gradient.device, gradient.dtype)

    return call


def _type(tensor: torch.Tensor) -> str:
    seen = Input(
        name="",
        dtype=str(tensor.dtype)[6:],
        device=str(tensor.device),
        dim=tensor.dim(),
    )
    return Spelling(seen).type
