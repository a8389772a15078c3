"""The Python numbers that a dtype can hold in torch. A number that does not fit raises, or becomes infinite.

    >>> fits(-1e9, "float16"), fits(float("-inf"), "float16"), fits(-1e9, "bfloat16"), fits(-1, "uint8")
    (False, True, True, True)
    >>> nearest(-1e9, "float16"), becomes_infinite(-1e9, "float16")
    (-65504.0, True)

Source: c10/util/overflows.h (`overflows`), c10/util/TypeCast.h (`checked_convert`), torch 2.13.
"""

from __future__ import annotations

import math
from typing import TypeAlias

from ...core.dtypes import REAL, DType, facts
from .release import release

Real: TypeAlias = bool | int | float
Number: TypeAlias = Real | complex

# infinity is above their largest value
_NO_INFINITY = frozenset({
    "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu", "float4_e2m1fn_x2",
})  # fmt: skip
# dtypes of which it is known when they round to infinity
_ROUNDING = frozenset({"float16", "bfloat16", "float32"})
# `#type` in the macro of c10/core/Scalar.h that defines `Scalar::toHalf` and the like.
_CPP = {
    "uint8": "uint8_t", "int8": "int8_t", "int16": "int16_t", "int32": "int", "int64": "int64_t",
    "uint16": "uint16_t", "uint32": "uint32_t", "uint64": "uint64_t",
}  # fmt: skip


def fits(value: Number, dtype: str) -> bool:
    """Check whether `Scalar::to` gives `value` as `dtype`, and does not raise."""
    if isinstance(value, bool) or dtype == "bool":
        return True
    if isinstance(value, complex):
        return fits(value.real, dtype) and (
            fits(value.imag, dtype) if dtype in REAL else value.imag == 0
        )
    held = facts(REAL.get(dtype, dtype))
    return (
        _fits_integer(value, held) if held.kind == "int" else _fits_float(value, held)
    )


def _fits_integer(value: Real, held: DType) -> bool:
    if isinstance(value, float):
        if not math.isfinite(value):
            return False
        # since torch 2.14 what is above the largest integer by less than 1 is cut off
        top = (
            float(held.max) if release() < (2, 14) else math.nextafter(held.max + 1, 0)
        )
        return float(held.min) <= value <= top
    # negative ones wrap in unsigned dtypes
    return (-held.max if held.min == 0 else held.min) <= value <= held.max


def _fits_float(value: Real, held: DType) -> bool:
    if isinstance(value, float) and not math.isfinite(value):
        return math.isnan(value) or held.name not in _NO_INFINITY
    return held.min <= value <= held.max


def nearest(value: Number, dtype: str) -> Number:
    """Return the number of `dtype` that comes closest to one that does not fit."""
    part = facts(REAL.get(dtype, dtype))
    if isinstance(value, complex):
        real = nearest(value.real, part.name)
        if dtype not in REAL:
            return real
        imaginary = nearest(value.imag, part.name)
        return complex(float(real.real), float(imaginary.real))
    if isinstance(value, float) and math.isnan(value):
        return value if part.kind == "float" else 0
    if fits(value, part.name):
        return value
    return part.max if value > 0 else part.min


def becomes_infinite(value: Number, dtype: str) -> bool:
    """Check whether a finite number is infinite once it is rounded to `dtype` (at 65520 in float16)."""
    if isinstance(value, complex) or dtype not in _ROUNDING or not math.isfinite(value):
        return False
    held = facts(dtype)
    return abs(value) >= held.max + _half_a_step(held.max, held.mantissa)


def adding_overflows(value: Number, dtype: str) -> bool:
    """Check whether every finite number of `dtype` becomes infinite when `value` is added to it."""
    if isinstance(value, complex) or dtype not in _ROUNDING:
        return False
    held = facts(dtype)
    return math.isfinite(value) and becomes_infinite(abs(value) - held.max, dtype)


def conversion_error(dtype: str) -> str:
    """Return what torch raises where a number does not fit."""
    return f"value cannot be converted to type {_CPP.get(dtype, facts(dtype).cpp)} without overflow"


def _half_a_step(top: float, mantissa: int) -> float:
    return float(2.0 ** (math.frexp(top)[1] - 1 - mantissa - 1))
