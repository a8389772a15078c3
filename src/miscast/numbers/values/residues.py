"""Sums that are compensated: a line takes what rounding lost, and what is added later to that sum has it.

Kahan's `c = (t - x) - y` is rounding alone, as a variance of mean(x^2) - mean(x)^2 may be: it is a residue if it is
used as one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from ..ranges.names import PRODUCTS
from . import record
from .numbers import MEASURED

if TYPE_CHECKING:
    from .call import Call, Result
    from .site import Site

_DIFFERENCES = frozenset({"add", "sub", "rsub"})
_PRODUCTS = PRODUCTS | {"addcmul"}
_THROUGH = _DIFFERENCES | {"mul", "div", "neg", "_to_copy", "copy", "clone"}
_NOTHING = 1e-14
_LITTLE = 1e-3


def is_nothing(call: Call, result: Result) -> bool:
    """Check whether the shadow of a difference is 0 but for what float64 rounds, while the real one is not."""
    if call.op not in _DIFFERENCES | _PRODUCTS or result.error < 1:
        return False
    size = max(
        (float(torch.linalg.vector_norm(one.wide)) for one in call.floats()),
        default=0.0,
    )
    return float(torch.linalg.vector_norm(result.wide)) <= _NOTHING * size


def note_compensation(call: Call) -> None:
    """Mark a difference that is off; if it comes back to the sum that it was taken of, it corrects that."""
    if call.op not in _THROUGH:
        return
    known = next(filter(None, (one.residue for one in call.records())), None)
    differs = call.op in _DIFFERENCES
    if differs and known is not None and ("carried", call.site) in known[1]:
        site, _, is_rounding = known
        site.compensated, site.corrects = site.compensated or is_rounding, True
    for result in call.results:
        known = _taken(call, result) if differs and _is_off(result) else known
        if known is not None:
            record.made(result.tensor).residue = known


def _is_off(result: Result) -> bool:
    return result.tensor.dtype in MEASURED and result.error > _LITTLE


def _taken(call: Call, result: Result) -> tuple[Site, frozenset[object], bool]:
    """Return where a difference is taken, of what, and whether it is rounding alone."""
    made_from = (one.carried for one in call.records())
    low, wide = map(torch.linalg.vector_norm, (result.low, result.wide))
    is_rounding = result.error > 1 and float(wide) <= _LITTLE * float(low)
    return call.site, frozenset().union(*made_from), is_rounding
