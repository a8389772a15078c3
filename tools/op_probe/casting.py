"""An operand in another dtype, with values that fit: small and positive where integers are made of fractions."""

from __future__ import annotations

from typing import Any

import torch

from miscast.torch_facts.contracts.signature import LETTERS

from .call import NUMBERS, dtype_name

DTYPES = (
    "float16", "bfloat16", "float32", "float64", "float8_e4m3fn", "float8_e5m2",
    "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu", "int64", "int32", "int16",
    "int8", "uint8", "bool", "complex64", "complex128",
)  # fmt: skip
"""Dtypes that an operand is cast to."""
PAIRED = (
    "float16", "bfloat16", "float32", "float64", "int64", "int32", "bool", "float8_e4m3fn",
)  # fmt: skip
"""Dtypes that two operands at once are cast to."""
KINDS = tuple(NUMBERS)
"""The types for a Python number."""
_UNITS = {
    "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu",
}  # fmt: skip


def known(names: tuple[str, ...]) -> tuple[torch.dtype, ...]:
    """Return the dtypes that this torch has."""
    return tuple(
        getattr(torch, name)
        for name in names
        if hasattr(torch, name) and name in LETTERS
    )


def cast(value: Any, to: Any) -> Any:
    """Return a tensor in a dtype, or a number as another kind of number."""
    if not isinstance(value, torch.Tensor):
        return to(
            value.real if isinstance(value, complex) and to is not complex else value
        )
    if to.is_complex or value.dtype == to:
        return value.to(to)
    return _cast_real(value.real if value.dtype.is_complex else value, to)


def _cast_real(value: torch.Tensor, to: torch.dtype) -> torch.Tensor:
    # torch has no way from integers to some float8 dtypes
    if not value.dtype.is_floating_point:
        return (value.to(torch.float32) if dtype_name(to) in _UNITS else value).to(to)
    if to.is_floating_point or to == torch.bool:
        return value.to(to)
    return value.abs().ceil().clamp(1, 100).to(to)


def filled(value: Any, number: int) -> Any:
    """Return the same operand, full of a number that most ops take for an index, a class, a scale or a length."""
    if not isinstance(value, torch.Tensor):
        return value
    return torch.full(value.shape, number, device=value.device, dtype=torch.float32).to(
        value.dtype
    )
