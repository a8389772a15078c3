"""DLPack: a virtual tensor is handed to another library, or comes back from its capsule with the same memory."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

import torch

from ....running.process.patching import Patch, around
from ...key import KEYSET, Exclude
from ...provenance.record import find, is_meta
from ...virtualize import virtualize

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from ...machine import VirtualMachine

_OPEN = 16
"""Capsules that are kept: nobody makes more before he takes what is in them."""
_OP = "np.from_dlpack"
_NAMES = ("_to_dlpack", "_to_dlpack_versioned")


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """Replace what makes a capsule and what opens one."""
    capsules: deque[tuple[Any, torch.Tensor]] = deque(maxlen=_OPEN)
    for name in _NAMES:
        if hasattr(torch._C, name):
            packed = around(torch._C, name, _pack, vm, capsules)
            yield packed
            if name == _NAMES[0]:
                yield Patch(torch.utils.dlpack, "to_dlpack", packed.value)
    yield around(torch._C, "_from_dlpack", _open, capsules)


def _numpy(vm: VirtualMachine, module: ModuleType) -> Iterator[Patch]:
    if hasattr(module, "from_dlpack"):
        yield around(module, "from_dlpack", _array, vm)


LATER = {"numpy": _numpy}


def _pack(
    vm: VirtualMachine,
    capsules: deque[tuple[Any, torch.Tensor]],
    original: Any,
    tensor: torch.Tensor,
    *args: Any,
    **kwargs: Any,
) -> Any:
    if not is_meta(tensor):
        return original(tensor, *args, **kwargs)
    shared = tensor.detach()
    shared = shared.clone() if kwargs.get("copy") else shared
    with Exclude(KEYSET):
        real = vm.dispatcher.values.reads.array(tensor, "Tensor.__dlpack__")
        capsule = original(real.detach())
    capsules.append((capsule, shared))
    return capsule


def _open(
    capsules: deque[tuple[Any, torch.Tensor]], original: Any, capsule: Any
) -> torch.Tensor:
    for one in capsules:
        if one[0] is capsule:
            capsules.remove(one)
            return one[1]
    with Exclude(KEYSET):
        return virtualize(original(capsule))


def _array(vm: VirtualMachine, original: Any, x: Any, /, **kwargs: Any) -> Any:
    """Take what numpy takes: memory on the CPU, of a dtype that it has."""
    if not isinstance(x, torch.Tensor) or not is_meta(x):
        return original(x, **kwargs)
    record = find(x)
    device = record.device if record is not None else None
    if device is not None and device.type != "cpu":
        error = "Unsupported device in DLTensor."
        vm.recorder.refused(_OP, "self", {"self": x}, "cpu", error, kind="device")
        x = x.cpu()
    try:
        return original(x, **kwargs)
    except RuntimeError as error:
        if "Unsupported dtype" not in str(error):
            raise
        vm.recorder.refused(
            _OP, "self", {"self": x}, "float32", str(error), kind="unsupported"
        )
        return original(x.float(), **kwargs)
