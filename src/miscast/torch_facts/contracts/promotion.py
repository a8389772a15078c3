"""Promotion of dtypes in torch, and the contract of a pointwise op that has no entry of its own.

Source: c10/core/ScalarType.h promoteTypes and canCast, ATen/native/TypeProperties.cpp result_type (torch 2.13).
"""

from __future__ import annotations

from functools import cache, reduce
from typing import TYPE_CHECKING

from ...core import dtypes
from ...core.dtypes import category
from .contract import Contract, Input
from .release import release

if TYPE_CHECKING:
    from collections.abc import Iterable

_COMPLEX_OF = {real: name for name, real in dtypes.REAL.items()}
_RESULT_ALWAYS_FITS = frozenset({
    "eq_", "ne_", "lt_", "le_", "gt_", "ge_", "less_", "greater_", "less_equal_",
    "greater_equal_", "not_equal_", "logical_and_", "logical_or_", "logical_xor_",
    "logical_not_", "fill_", "zero_", "masked_fill_", "copy_",
})  # fmt: skip
_FLOATS_FROM_INTEGERS = frozenset({
    "acos", "acosh", "asin", "asinh", "atan", "atanh", "atan2", "arctan2", "arccos",
    "arccosh", "arcsin", "arcsinh", "arctan", "arctanh", "cos", "cosh", "sin", "sinh",
    "tan", "tanh", "deg2rad", "rad2deg", "digamma", "lgamma", "erf", "erfc", "erfinv",
    "exp", "exp2", "expm1", "i0", "igamma", "igammac", "log", "log10", "log1p", "log2",
    "logit", "polygamma", "reciprocal", "rsqrt", "sigmoid", "sinc", "sqrt", "xlogy",
    "copysign", "div", "divide", "true_divide", "special_zeta", "mvlgamma", "hypot",
    "nextafter", "special_entr",
})  # fmt: skip


def promote(a: str, b: str) -> str:
    """Return the dtype torch computes in for dtypes of equal priority; of a pair that it refuses, one of them."""
    try:
        return dtypes.promote(a, b)
    except TypeError:
        return max(a, b, key=category)


def result_type(inputs: Iterable[Input]) -> str:
    """Return the dtype of arithmetic: dimensioned tensors win over scalar tensors, these over numbers."""
    ranks: dict[int, str] = {}
    for operand in inputs:
        rank = 2 if operand.is_number else int(operand.dim == 0)
        ranks[rank] = promote(ranks.get(rank, operand.dtype), operand.dtype)
    if ranks:
        return reduce(_of_ranks, (ranks[rank] for rank in sorted(ranks)))
    return "float32"


def _of_ranks(result: str, lower: str) -> str:
    """Return the result of promoting a dtype of higher priority with one of lower priority, whose kind alone counts."""
    if category(lower) <= category(result):
        return result
    if category(result) < 2:
        return lower
    if result == "bfloat16" and release() < (2, 14):
        return "complex64"
    return _COMPLEX_OF.get(result, "complex64")


def fits(result: str, into: str) -> bool:
    """Check whether torch casts a result of this dtype into a tensor of that one without complaint."""
    if category(into) == 0:
        return category(result) == 0
    return category(result) < 2 or category(into) >= category(result)


@cache
def pointwise_contract(op: str) -> Contract:
    """Return the contract of a pointwise op without an entry ("aten.add_.Tensor").

    It promotes, and its result must fit.

    What it writes into is read off the op's name: `self` for the in-place form, `out` for an `out` overload.
    """
    _, name, overload = (*op.split("."), "", "")[:3]
    into = "out" if overload == "out" or overload.endswith("_out") else ""
    into = "" if f"{name}_" in _RESULT_ALWAYS_FITS else into
    if (
        name.endswith("_")
        and not name.endswith("__")
        and name not in _RESULT_ALWAYS_FITS
    ):
        into = "self"
    floats = name.rstrip("_") in _FLOATS_FROM_INTEGERS and not overload.endswith(
        "_mode"
    )
    return Contract(
        ops=(op,), promotes=True, cpu_scalars=True, into=into, floats=floats
    )
