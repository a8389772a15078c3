"""Predicates of health: of values that nobody knows, all are finite, none is NaN, and close is what should be close.

The answer is given for the predicate as the program calls it, not for the comparisons that it is made of, and stays
with what is computed from it: `x.isnan().sum() == 0`, `(x == x).all()`, `~torch.isfinite(x).any()`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ..provenance.record import is_tensor

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..call import Call
    from ..provenance.record import Record

# The second tells whether the answer is for good: what is close may be far at first, and get closer in a loop.
PREDICATES = {
    "isfinite": (True, True), "isreal": (True, True), "isnan": (False, True), "isinf": (False, True),
    "isposinf": (False, True), "isneginf": (False, True), "signbit": (False, True), "isclose": (True, False),
}  # fmt: skip


def truly_known(records: Sequence[Record]) -> bool:
    """Check whether all values are known, and none is a placeholder."""
    return all(r.twin is not None and not r.assumed for r in records)


def all_steady(records: Sequence[Record]) -> bool:
    """Check whether all placeholders among the operands have values that a healthy run gives throughout."""
    standing = [r for r in records if r.assumed or r.twin is None]
    return bool(standing) and all(r.steady is not None for r in standing)


def compared(call: Call) -> bool | None:
    """Return what a comparison with itself, or with infinity, says of finite numbers; None for any other."""
    short, args = call.plan.short, call.args
    if short not in ("eq", "ne", "lt", "le", "gt", "ge") or len(args) < 2:
        return None
    if is_tensor(args[1]):
        return short in ("eq", "le", "ge") if args[0] is args[1] else None
    if isinstance(args[1], float) and not math.isfinite(args[1]):
        if math.isnan(args[1]):
            return short == "ne"
        return short == "ne" or (
            short in ("lt", "le") if args[1] > 0 else short in ("gt", "ge")
        )
    return None


def uniform(call: Call) -> bool | None:
    """Return the result for a steady operand with too many values to keep; None if not implemented."""
    if (
        len(call.records) != 1
        or call.records[0].twin is not None
        or call.records[0].steady is None
    ):
        return None
    if call.plan.short in ("all", "any"):
        return call.records[0].steady
    if call.plan.short in ("logical_not", "bitwise_not"):
        return not call.records[0].steady
    return None


def most(call: Call, size: int) -> int | None:
    """Return the most that a count of `size` numbers can be, each over its part of the operand.

    None if it counts nothing.
    """
    if call.plan.short not in ("sum", "count_nonzero") or not call.tensors or not size:
        return None
    return call.tensors[0].numel() // size
