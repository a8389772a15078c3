"""A value that a line makes anew from its old one: `ema = 0.999 * ema + 0.001 * value`, step after step.

The old value is handed on through products and sums until it comes back to the line; then what the line did to the real
value is held against what it did to the shadow.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from . import record
from .numbers import HALVES
from .sums import Sum, sampled

if TYPE_CHECKING:
    from .call import Call, Result

_THROUGH = frozenset(
    {
        "mul",
        "add",
        "sub",
        "div",
        "_to_copy",
        "rsub",
        "index",
        "index_select",
        "index_copy",
        "clone",
    }
)
_ENDS = frozenset({"add", "sub", "copy", "lerp", "_to_copy"})
_MOST = 4
_FEW = 256
"""Numbers of a state in float32, a place or a time: what is added to it may be too small, too."""


def returned(call: Call, result: Result) -> Sum | None:
    """The updates at this line, where one of the operands was made from the line's last result."""
    dtype = result.tensor.dtype
    small = dtype == torch.float32 and result.tensor.numel() <= _FEW
    if call.op not in _ENDS or not (dtype in HALVES or small):
        return None
    key = ("carried", call.site)
    new, wide = sampled(result.low), sampled(result.wide)
    found = Sum()
    for one in call.operands:
        if (
            one.record is not None
            and key in one.record.carried
            and one.tensor is not result.tensor
        ):
            known, old, exact = one.record.carried[key]
            if old.shape == new.shape and known.add(old, new, old + (wide - exact)):
                found = known
    made = record.made(result.tensor)
    if len(made.carried) < _MOST or key in made.carried:
        made.carried[key] = (found, new, wide)
    return found if found.count else None


def hand_on(call: Call) -> None:
    """What was made from a line's last result knows of it."""
    if call.op not in _THROUGH:
        return
    old = {
        key: value
        for one in call.operands
        if one.record is not None
        for key, value in one.record.carried.items()
    }
    if not old:
        return
    for result in call.results:
        made = record.made(result.tensor)
        for key, value in list(old.items())[:_MOST]:
            made.carried.setdefault(key, value)
