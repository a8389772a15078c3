"""How torch's messages spell an operand's dtype."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .contract import Input

_C10 = {
    "float16": "c10::Half",
    "bfloat16": "c10::BFloat16",
    "float32": "float",
    "float64": "double",
    "int64": "long int",
    "int32": "int",
    "int16": "short int",
    "int8": "signed char",
    "uint8": "unsigned char",
    "bool": "bool",
    "complex32": "c10::complex<c10::Half>",
    "complex64": "c10::complex<float>",
    "complex128": "c10::complex<double>",
}
_SCALAR_TYPE = {
    "float16": "Half",
    "bfloat16": "BFloat16",
    "float32": "Float",
    "float64": "Double",
    "int64": "Long",
    "int32": "Int",
    "int16": "Short",
    "int8": "Char",
    "uint8": "Byte",
    "bool": "Bool",
    "complex32": "ComplexHalf",
    "complex64": "ComplexFloat",
    "complex128": "ComplexDouble",
}


@dataclass(frozen=True, slots=True)
class Spelling:
    """An operand in a message: itself "Half", `.c10` "c10::Half", `.type` "torch.cuda.HalfTensor"."""

    operand: Input

    def __str__(self) -> str:
        return scalar_type(self.operand.dtype)

    @property
    def c10(self) -> str:
        """The C++ name, as caffe2::TypeMeta::name prints it."""
        return _C10.get(self.operand.dtype, f"c10::{scalar_type(self.operand.dtype)}")

    @property
    def type(self) -> str:
        """The legacy type name, as Tensor::toString prints it without "Variable"."""
        kind = self.operand.device.partition(":")[0]
        return f"torch.{'' if kind == 'cpu' else kind + '.'}{scalar_type(self.operand.dtype)}Tensor"

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


def scalar_type(dtype: str) -> str:
    """A dtype as c10::toString prints it: "Half"."""
    return _SCALAR_TYPE.get(dtype) or dtype[:1].upper() + dtype[1:]


def speaks_of(text: str, dtype: str) -> bool:
    """Whether a text names a dtype, as c10::toString or as C++ spells it."""
    names = (scalar_type(dtype), _C10.get(dtype, dtype))
    return any(re.search(rf"(?<![\w:]){re.escape(name)}(?!\w)", text) for name in names)


def spell(
    template: str, operands: Mapping[str, Input], *, reference: Input, offending: Input
) -> str:
    """A contract's text with the dtypes of this call."""
    spelled = _Operands({name: Spelling(operand) for name, operand in operands.items()})
    spelled |= {"like": Spelling(reference), "odd": Spelling(offending)}
    return template.format_map(spelled)
