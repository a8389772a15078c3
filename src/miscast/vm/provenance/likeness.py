"""Measure how near a value is to an operand that broke a contract: the same tensor, or its container.

Of the program nothing runs: only what is plainly stored is looked at.
"""

from __future__ import annotations

from enum import IntEnum
from itertools import islice
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import torch
from torch.nn import Module, Parameter

from .contents import attributes_of, items_of
from .module_members import tensors_of
from .record import find, is_tensor

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType

    from .record import Record

_ITEMS = 64  # of a batch, looked at
# the class itself: on the virtual machine another goes by its name
_GENERATOR = type(torch.default_generator)
_CONTAINERS = (dict, list, tuple)
_NAMESPACES = (ModuleType, FunctionType, type)
"""Named on a line to reach something else, as `torch.nn` in `torch.nn.functional.pad(x)`: they stand for no tensor."""


class Likeness(IntEnum):
    """The nearer, the greater."""

    UNRELATED = 0
    ALIKE = 1
    """Another tensor of the same dtype or device, or what holds one."""
    HOLDS = 2
    ITSELF = 3


class SoughtOperand:
    """An operand that is looked for among the values of frames, by its dtype or by its device."""

    def __init__(
        self, name: str, tensor: torch.Tensor, record: Record, *, devices: bool
    ) -> None:
        """Start with `name`, the op's name for the operand."""
        self.name, self.tensor, self.record, self.devices = (
            name,
            tensor,
            record,
            devices,
        )

    def likeness(self, value: Any) -> Likeness:
        """Return how near a value comes to the operand."""
        kind = type(value)
        if issubclass(kind, _GENERATOR):
            return Likeness.ITSELF if self.name == "generator" else Likeness.UNRELATED
        if kind.__module__ == "numpy":
            same = str(getattr(value, "dtype", "")) == str(self.tensor.dtype)[6:]
            return Likeness.HOLDS if same and not self.devices else Likeness.UNRELATED
        tensors = list(_tensors(value))
        if any(self._is(tensor) for tensor in tensors):
            return Likeness.ITSELF if is_tensor(value) else Likeness.HOLDS
        if any(map(self._fits, _typical(value, tensors))):
            return Likeness.ALIKE
        return Likeness.UNRELATED

    def _is(self, other: torch.Tensor) -> bool:
        return other is self.tensor or find(other) is self.record

    def _fits(self, other: torch.Tensor) -> bool:
        their = find(other)
        if their is None or isinstance(other, Parameter) != isinstance(
            self.tensor, Parameter
        ):
            return False
        if self.devices:
            return their.device == self.record.device
        return other.dtype == self.tensor.dtype

    def made_within(self, code: CodeType) -> bool:
        """Check whether something in a function gave the operand its dtype or device."""
        origin = self.record.device_origin if self.devices else self.record.dtype_origin
        while origin is not None:
            if origin.user is not None and origin.user[0] is code:
                return True
            origin = origin.source
        return False


def _typical(value: Any, tensors: list[torch.Tensor]) -> list[torch.Tensor]:
    """Return the tensors that represent a value: of a module the first floating one, of an object none."""
    kind = type(value)
    if issubclass(kind, Module):
        return [tensor for tensor in tensors if tensor.is_floating_point()][:1]
    return tensors if is_tensor(value) or issubclass(kind, _CONTAINERS) else []


def _tensors(value: Any, depth: int = 2) -> Iterator[torch.Tensor]:
    """Yield the tensors that a value is or plainly holds."""
    kind = type(value)
    if is_tensor(value):
        yield value
    elif issubclass(kind, Module):
        yield from tensors_of(value)
    elif depth and not issubclass(kind, _NAMESPACES):
        items = items_of(
            value if issubclass(kind, _CONTAINERS) else attributes_of(value)
        )
        for _, item in islice(items, _ITEMS):
            yield from _tensors(item, depth - 1)
