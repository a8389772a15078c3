"""Between what numbers lie that nobody knows, as far as the program says so: `x.clamp(min=1)` is never below 1.

A stand-in between them is one that the program can be given: a length of 0 of what is at least 1 is none.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..call import Call

    Limits = tuple[float, float]

_CLAMPS = frozenset(
    {"clamp", "clamp_", "clamp_min", "clamp_min_", "clamp_max", "clamp_max_"}
)
_ROUNDS: dict[str, Callable[[float], int]] = {
    "ceil": math.ceil, "floor": math.floor, "round": round, "trunc": math.trunc,
}  # fmt: skip
_PICKS = frozenset(
    {
        *("max", "min", "amax", "amin", "median", "clone", "detach", "alias"),
        *("view", "_unsafe_view", "unsqueeze", "squeeze", "expand", "permute"),
        *("transpose", "t", "select", "slice", "unbind", "split", "chunk"),
        *("index", "index_select", "gather"),
    }
)
_ALL = (-math.inf, math.inf)


def limited(call: Call) -> bool:
    """Check whether an op's result may have limits."""
    records = call.records
    return call.plan.short in _CLAMPS or bool(records and records[0].limits)


def limits(call: Call) -> Limits | None:
    """Return the bounds of an op's first result, or of all its views; None if they are unknown."""
    op = call.plan.short
    record = call.records[0] if call.records else None
    before = record.limits if record is not None else None
    if op in _CLAMPS:
        given, (first, last) = dict(call.given()), before or _ALL
        low = _number(given.get("min"), _ALL[0])
        high = _number(given.get("max"), _ALL[1])
        # where they contradict, the upper one holds, as in torch
        return min(max(first, low), high), min(max(last, low), high)
    if before is None or (len(call.records) > 1 and op in ("max", "min")):
        return None
    if op in _ROUNDS:
        return _rounded(before[0], op), _rounded(before[1], op)
    return before if op in _PICKS else None


def nearest(value: float, limits: Limits | None) -> float:
    """Return the number itself, or the limit that it is beyond."""
    low, high = limits or _ALL
    return min(max(value, low), high)


def whole(value: int, limits: Limits | None, dtype: torch.dtype) -> int:
    """Return a whole number between the limits that a dtype holds, as a cast to it leaves them."""
    if limits is None:
        return value
    holds = torch.iinfo(dtype)
    low, high = (math.trunc(min(max(x, holds.min), holds.max)) for x in limits)
    return min(max(value, low), high)


def _number(given: object, other: float) -> float:
    # a NaN is between no two
    return given if isinstance(given, (int, float)) and abs(given) >= 0 else other


def _rounded(limit: float, op: str) -> float:
    return float(_ROUNDS[op](limit)) if math.isfinite(limit) else limit
