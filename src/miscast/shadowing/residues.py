"""Sums that are compensated: a line takes what rounding lost, a number that in exact arithmetic is nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from .numbers import MEASURED

if TYPE_CHECKING:
    from .call import Call, Result

_OPS = frozenset({"add", "sub", "rsub"})
_NOTHING = 1e-10


def is_residue(call: Call, result: Result) -> bool:
    """Whether the shadow of a result is nothing beside the operands, while the real one is not."""
    if call.op not in _OPS or result.tensor.dtype not in MEASURED or result.error < 1:
        return False
    size = max(
        (float(torch.linalg.vector_norm(one.wide)) for one in call.floats()),
        default=0.0,
    )
    return float(torch.linalg.vector_norm(result.wide)) <= _NOTHING * size


def note_compensation(call: Call) -> None:
    """Kahan's line marks its function: what the others of it lose is taken up later."""
    if any(is_residue(call, result) for result in call.results):
        call.site.compensated = True
