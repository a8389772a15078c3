"""Bytes that hold numbers of one float dtype, and are read as another of the same size.

cache[row] = keys.to(torch.float8_e4m3fn).view(torch.uint8)
...
keys = cache[row].view(torch.float8_e5m2)        # each number is another one

The dtype hangs on the storage of the bytes, and goes with them where they are moved.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import torch

from ...core.dtypes import facts
from ...vm.provenance.record import carrier, is_tensor
from .loss import Lost, short

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .seen import Seen

RULE, FORM = "precision-not-held", "bits"
_NAME = "_miscast_bits"
_MOVES = frozenset({
    "copy", "clone", "contiguous", "to", "_to_copy", "index", "index_select", "index_put", "index_copy", "gather",
    "scatter", "cat", "concat", "stack", "repeat", "where", "roll", "flip", "slice_scatter", "select_scatter",
})  # fmt: skip
_WRITTEN = _MOVES | {f"{name}_" for name in _MOVES}


def concerns(op: str, args: tuple[Any, ...]) -> bool:
    """Check whether a call with these arguments reads bytes as numbers, or moves bytes that hold some."""
    if op == "view":
        return len(args) > 1 and isinstance(args[1], torch.dtype)
    return op in _WRITTEN and any(_held(one) is not None for one in _tensors(args))


def find(seen: Seen) -> Lost | None:
    """Return a precision loss if a call reads bytes as numbers of another dtype."""
    wrong = misread(seen.name, seen.given, seen.out)
    lost = partial(Lost, rule=RULE, form=FORM, operand="", op="Tensor.view", wanted="")
    return lost(figures=wrong) if wrong else None


def misread(op: str, given: Mapping[str, Any], out: Any) -> str:
    """Return what is wrong with a view of bytes as numbers; "" of any other call, which is looked at on the way."""
    tensor: Any = given.get("self")
    dtype = given.get("dtype")
    if op == "view" and is_tensor(tensor) and isinstance(dtype, torch.dtype):
        if tensor.dtype.is_floating_point:
            setattr(carrier(tensor), _NAME, tensor.dtype)
        held = _held(tensor)
        if held is None or not _are_others(held, dtype):
            return ""
        return f"bytes that hold {short(held)} numbers are read as {short(dtype)}, in which they are other numbers"
    if op in _MOVES and is_tensor(out) and not out.dtype.is_floating_point:
        for held in filter(None, map(_held, _tensors((*given.values(),)))):
            setattr(carrier(out), _NAME, held)
    return ""


def _are_others(held: torch.dtype, dtype: torch.dtype) -> bool:
    """Check whether bits mean other numbers in another dtype; those of e4m3fn and e4m3fnuz differ by a factor."""
    if not dtype.is_floating_point or held.itemsize != dtype.itemsize:
        return False
    return facts(short(held)).mantissa != facts(short(dtype)).mantissa


def _held(tensor: torch.Tensor) -> torch.dtype | None:
    held: torch.dtype | None = getattr(carrier(tensor), _NAME, None)
    return held


def _tensors(values: tuple[Any, ...]) -> Iterator[torch.Tensor]:
    for one in values:
        yield from filter(is_tensor, one if isinstance(one, (list, tuple)) else (one,))
