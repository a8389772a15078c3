"""Spellings of an operand's dtype in torch's messages."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...core.dtypes import cpp_name, scalar_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .contract import Input


@dataclass(frozen=True, slots=True)
class Spelling:
    """An operand in a message: itself "Half", `.c10` "c10::Half", `.type` "torch.cuda.HalfTensor"."""

    operand: Input

    def __str__(self) -> str:
        return scalar_name(self.operand.dtype)

    @property
    def c10(self) -> str:
        """The C++ name, as caffe2::TypeMeta::name prints it."""
        return cpp_name(self.operand.dtype)

    @property
    def type(self) -> str:
        """The legacy type name, as Tensor::toString prints it without "Variable"."""
        kind = self.operand.device.partition(":")[0]
        return f"torch.{'' if kind == 'cpu' else kind + '.'}{scalar_name(self.operand.dtype)}Tensor"

    @property
    def dtype(self) -> str:
        """The Python name: "torch.float16"."""
        return f"torch.{self.operand.dtype}"

    @property
    def device(self) -> str:
        """The device: "cuda:0"."""
        return self.operand.device

    @property
    def index(self) -> str:
        """The operand's place in a list argument: "1" of `tensors[1]`."""
        return self.operand.name.partition("[")[2].rstrip("]")

    @property
    def name(self) -> str:
        """The operand's own name: "weight"."""
        return self.operand.name


class _Operands(dict[str, Spelling]):
    def __missing__(self, name: str) -> Spelling:
        return self["like"]  # an optional operand that the call left out


def speaks_of(text: str, dtype: str) -> bool:
    """Check whether a text names a dtype, as c10::toString or as C++ spells it."""
    names = scalar_name(dtype), cpp_name(dtype)
    return any(re.search(rf"(?<![\w:]){re.escape(name)}(?!\w)", text) for name in names)


def spell(
    template: str, operands: Mapping[str, Input], *, reference: Input, offending: Input
) -> str:
    """Return a contract's text with the dtypes of this call."""
    spelled = _Operands({name: Spelling(operand) for name, operand in operands.items()})
    spelled |= {"like": Spelling(reference), "odd": Spelling(offending)}
    return template.format_map(spelled)
