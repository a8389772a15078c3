"""Operators that refuse a dtype in torch's Python bindings, before an op is called: `~` of floats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from ....running.process.patching import Patch
from ...provenance.record import find, is_meta

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ...machine import VirtualMachine

# torch/csrc/autograd/python_variable_methods.cpp, THPVariable_invert.
_INVERT = "~ (operator.invert) is only implemented on integer and Boolean-type tensors"


def patches(vm: VirtualMachine) -> Iterator[Patch]:
    """Patch `Tensor.__invert__` to report floats and continue with a mask."""
    yield Patch(torch.Tensor, "__invert__", _invert(vm, torch.Tensor.__invert__))


def _invert(
    vm: VirtualMachine, plain: Callable[[torch.Tensor], torch.Tensor]
) -> Callable[[torch.Tensor], Any]:
    def invert(self: torch.Tensor) -> torch.Tensor:
        record = find(self) if is_meta(self) else None
        fine = not (self.is_floating_point() or self.is_complex())
        if fine or record is None:
            return plain(self)
        vm.recorder.refused(
            "bitwise_not", "self", {"self": self}, "bool", _INVERT, raises="TypeError"
        )
        return plain(self.bool())

    return invert
