"""A value that a line makes anew from its old one: `ema = 0.999 * ema + 0.001 * value`, step after step.

The old value is handed on through products and sums until it comes back to the line; then what the line did to the real
value is held against what it did to the shadow. Numbers that are taken out of a tensor by an index (`x[ids] += d`) are
followed until they are put back into it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from ..ranges.loss import HALF
from ..ranges.names import PRODUCTS
from . import record
from .sums import MOST, UPDATES, Sum, sampled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .call import Call, Result
    from .site import Site

_THROUGH = frozenset({
    "mul", "add", "sub", "div", "_to_copy", "rsub", "neg", "clone", "index", "index_select", "index_copy",
})  # fmt: skip
_ENDS = UPDATES | {"copy", "_to_copy"}
_MOST = 4
_FEW = 256
"""Numbers of a state in float32 that are looked at: each addition of a forward pass may be one to it."""
_TAKES = frozenset({"index", "index_select", "gather"})
_PUTS = {"index_put": "values", "index_copy": "source", "scatter": "src"}
"""Ops that put numbers back, and the argument that has them."""


def returned(call: Call, result: Result) -> Sum | None:
    """Return the updates at this line, where one of the operands was made from the line's last result."""
    dtype = result.tensor.dtype
    if not (call.op in _ENDS and dtype in HALF) and not _is_state(call, dtype):
        return None
    most = MOST if dtype in HALF else _FEW
    key = ("carried", call.site)
    new, wide = sampled(result.low, most), sampled(result.wide, most)
    found, made = Sum(), record.made(result.tensor)
    for known, old, exact in _last(call, result, key):
        if old.shape == new.shape and known.add(old, new, old + (wide - exact)):
            found = known
    if len(made.carried) < _MOST or key in made.carried:
        made.carried[key] = (found, new, wide)
    return found if found.count else None


def _last(
    call: Call, result: Result, key: tuple[str, Site]
) -> Iterator[tuple[Sum, torch.Tensor, torch.Tensor]]:
    """Yield what a line made last, and its updates, of operands that were made of it."""
    others = [one for one in call.operands if one.tensor is not result.tensor]
    carried = [one.record.carried for one in others if one.record is not None]
    return (one[key] for one in carried if key in one)


def _is_state(call: Call, dtype: torch.dtype) -> bool:
    """Check whether a result in float32 may be a state of the program's own: not of a layer, a gradient, or torch's."""
    ends = call.op in _ENDS or call.op == "mul"
    return (
        ends and dtype == torch.float32 and call.site.is_own and call.op not in PRODUCTS
    )


def hand_on(call: Call) -> None:
    """Propagate a line's last result to what is computed from it, and the owner to numbers taken out of a tensor."""
    _note_taken(call)
    if call.op not in _THROUGH:
        return
    known = [one.record.carried for one in call.operands if one.record is not None]
    old = {key: value for each in known for key, value in each.items()}
    for result in call.results if old else ():
        made = record.made(result.tensor)
        for key, value in list(old.items())[:_MOST]:
            made.carried.setdefault(key, value)


def _note_taken(call: Call) -> None:
    if len(call.results) != 1 or not call.operands:
        return
    (result,) = call.results
    if call.op in _TAKES:
        record.made(result.tensor).taken = (record.made(call.operands[0].tensor), None)
        return
    taken = next(filter(None, (one.taken for one in call.records())), None)
    if taken is None or call.op in _PUTS:
        return
    source, exact = taken
    if call.op in UPDATES:
        exact = call.exact(result)
    elif call.op not in _THROUGH:
        exact = None
    if exact is not None:
        record.made(result.tensor).taken = (source, exact)


def put_back(call: Call, result: Result) -> torch.Tensor | None:
    """Return what a tensor should hold after numbers were put back into it that were taken out of it and changed."""
    name = _PUTS.get(call.op)
    values = next((one for one in call.floats() if one.name == name), None)
    if name is None or result.before is None or values is None or values.record is None:
        return None
    source, exact = values.record.taken or (None, None)
    if source is not record.find(result.tensor) or exact is None:
        return None
    if exact.numel() != values.low.numel():
        return None
    given = {**call.bound, name: exact.reshape_as(values.low)}
    del given["self"]
    changed: torch.Tensor = call.func(result.before.clone(), **given)
    return changed
