"""Whole numbers: which floating-point tensors hold counts, ids, positions or timesteps, by what they were made of."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch

from .numbers import is_whole, whole_until
from .record import find

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .call import Call, Operand

_KEEP = frozenset({"add", "sub", "rsub", "mul", "neg", "sum", "cumsum", "cat", "stack", "clone", "_to_copy", "copy",
                   "where", "index", "index_select", "gather", "square", "abs", "maximum", "minimum", "clamp", "mm",
                   "bmm", "addmm", "dot", "mv", "fill", "repeat", "flip", "roll", "tril", "triu", "masked_fill", "diff",
                   "index_add", "scatter_add", "index_put", "constant_pad_nd", "select_backward", "cumprod",
                   "prod"})  # fmt: skip
_BORN = frozenset({"arange", "full", "full_like", "scalar_tensor", "range", "linspace"})
_CHOICES = frozenset({"mask", "condition"})
_SHIFT = frozenset({"add", "sub"})
_REST = frozenset({"remainder", "fmod"})
_MANY = 1 << 16


def are_whole(call: Call) -> bool:
    """Check whether a call's results are whole numbers by their kind."""
    # the middle between two places, of a pixel say
    parts = 1 + (call.op in _SHIFT)
    if not _integers(call, parts) or not (call.op in _BORN or _keeps(call)):
        return False
    return all(is_whole(one.wide * parts) for one in call.results)


def _keeps(call: Call) -> bool:
    """Check whether an op gives sums, products or some of whole numbers; what it overwrites does not count."""
    if call.op not in _KEEP or not call.operands or _measures(call):
        return False
    unread = {"self"} if call.op == "copy" else _CHOICES
    return all(_whole(one) for one in call.operands if one.name not in unread)


def _measures(call: Call) -> bool:
    """Check whether it is a product of two tensors.

    Of masks, else of samples or pixels, which nothing is looked up by.
    """
    if call.op == "square":
        return True
    several = [one.low for one in call.operands if one.low.numel() > 1]
    factors = [one for one in several if one.dtype != torch.bool]
    return (
        call.op == "mul"
        and len(factors) > 1
        and all(float(one.abs().max()) > 1 for one in factors)
    )


def rest_of_whole(op: str, operands: Iterable[torch.Tensor]) -> bool:
    """Check whether an op gives the remainder of whole numbers: where a ring goes on."""
    kept = [find(one) for one in operands if one.is_floating_point()]
    whole = all(one is not None and one.whole for one in kept)
    return op in _REST and bool(kept) and whole


def _integers(call: Call, parts: int = 1) -> bool:
    """Check whether all numbers of a call are whole: `arange(0, 4096, dtype=half)`, not `linspace(0, 1)`."""
    values = [value for value in call.bound.values() if type(value) in (int, float)]
    return all(parts * value % 1 == 0 for value in values if math.isfinite(value))


def _whole(operand: Operand) -> bool:
    """Check whether an operand is whole by its record, else by its numbers if small enough to have fractions."""
    if not operand.is_float:
        return operand.record is None or not operand.record.are_bits
    if operand.record is not None and (
        operand.record.whole or operand.record.wide is not None
    ):
        return operand.record.whole
    numbers = operand.low
    if numbers.numel() > _MANY or numbers.dtype != torch.float64:
        return False
    small = numbers.abs() < whole_until(operand.tensor.dtype) / 2
    return is_whole(numbers) and bool(
        (small & (numbers != 0)).any() | (numbers == 0).all()
    )
