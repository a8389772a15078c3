"""Exponentials that are 0, and their sums: what `log(sum(exp(x)))` is told by, also where float64 has nothing left."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from . import record

if TYPE_CHECKING:
    from .call import Call

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
