"""Eager quantization packs weights for CPU kernels that tensors without data cannot enter: modules stay as they are."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from torch.ao import quantization
from torch.ao.quantization import quantize as steps

from ....running.process.patching import Patch
from ...provenance.on_behalf import theirs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...machine import VirtualMachine


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """Patch `quantize_dynamic` and `convert` of torch.ao.quantization."""

    def unquantized(model: Any, *args: Any, inplace: bool = False, **_: Any) -> Any:
        vm.recorder.note(
            "torch.ao.quantization: modules were not quantized, but stayed in floating point"
        )
        return model if inplace or True in args else theirs(copy.deepcopy, model)

    for name in ("quantize_dynamic", "convert"):
        for owner in (quantization, steps):
            yield Patch(owner, name, unquantized)
