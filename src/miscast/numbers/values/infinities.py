"""Find the ops that made infinities, or zeros of exponentials: a softmax of -inf, infinity minus infinity, log(0)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from . import record

if TYPE_CHECKING:
    from .call import Call

LOGARITHMS = frozenset({"log", "log2", "log10"})
POLES = LOGARITHMS | {
    "log1p", "rsqrt", "reciprocal", "div", "true_divide", "pow", "logit", "xlogy",
    "atanh", "erfinv",
}  # fmt: skip
"""Ops that give infinities of some finite numbers."""


def note_infinite(call: Call) -> None:
    """Mark the results of an op that creates infinities from finite numbers, and what is computed from them."""
    for result in call.results:
        if result.finite:
            continue
        kept = record.made(result.tensor)
        kept.overflowed = call.marked(lambda one: one.overflowed) or kept.overflowed
        kept.infinite = call.marked(lambda one: one.infinite)
        if kept.infinite is None and call.op in POLES and _is_born(call):
            kept.infinite = call.site


def _is_born(call: Call) -> bool:
    low = call.results[0].low
    given = all(bool(torch.isfinite(one.low).all()) for one in call.floats())
    return given and bool(torch.isinf(low).any())


_EXPONENTIALS = frozenset({"exp", "exp2"})
_SUMS = frozenset({"sum", "add", "mean"})
_MASKS = -1e8
"""Smaller values are a mask, and intended to vanish."""


def note_vanished(call: Call) -> None:
    """Mark sums of exponentials that became 0 although their inputs are finite."""
    if call.op in _EXPONENTIALS:
        given = next((one.low for one in call.floats()), None)
        if given is None:
            return  # of complex numbers or integers
        zero = (call.results[0].low == 0) & torch.isfinite(given) & (given > _MASKS)
        if bool(zero.any()):
            record.made(call.results[0].tensor).vanished = call.site
    elif call.op in _SUMS:
        vanished = call.marked(lambda one: one.vanished)
        if vanished is not None:
            record.made(call.results[0].tensor).vanished = vanished
