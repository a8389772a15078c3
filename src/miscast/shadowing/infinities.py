"""Where infinities came about: what a softmax of -inf alone, or a difference of infinities, is told by."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from . import record

if TYPE_CHECKING:
    from .call import Call

_POLES = frozenset(
    {
        "log",
        "log2",
        "log10",
        "log1p",
        "rsqrt",
        "reciprocal",
        "div",
        "pow",
        "logit",
        "atanh",
    }
)


def note_infinite(call: Call) -> None:
    """An op that gives infinities of finite numbers marks its result, and what is computed with that."""
    for result in call.results:
        if result.finite:
            continue
        known = [one.record for one in call.floats() if one.record is not None]
        kept = record.made(result.tensor)
        kept.overflowed = next(
            (one.overflowed for one in known if one.overflowed), kept.overflowed
        )
        kept.infinite = next((one.infinite for one in known if one.infinite), None)
        if kept.infinite is None and call.op in _POLES and _is_born(call):
            kept.infinite = call.site


def _is_born(call: Call) -> bool:
    low = call.results[0].low
    given = all(bool(torch.isfinite(one.low).all()) for one in call.floats())
    return given and bool(torch.isinf(low).any())
