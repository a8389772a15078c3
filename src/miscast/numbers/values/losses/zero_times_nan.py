"""NaN of a mask of zeros that is multiplied to numbers that are not finite, unless the next op takes it out."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from .. import record
from ..call import Call
from ..loss import Loss

RULE = "nan-appears"
_TWO = 2


def observe(call: Call) -> Iterator[Loss]:
    """Yield a product of which one side hides by its zeros all that is not finite in the other."""
    if call.op != "mul" or call.site.phase in ("backward", "optimizer"):
        return
    if len(call.operands) != _TWO or len(call.results) != 1:
        return
    (result,) = call.results
    if result.finite or result.tensor.is_complex():
        return
    for mask, other in (call.operands, reversed(call.operands)):
        bad, hides = ~torch.isfinite(other.low), mask.low == 0
        if not mask.low.dim() or not bool((bad & hides).any()):
            continue
        if bool((bad & ~hides).any()):
            continue
        record.made(result.tensor).nan_born = (RULE, call.site, "product")
        born = torch.isnan(result.low)
        yield call.loss(
            rule=RULE,
            says=f"0 times NaN or infinity: {int(born.sum()):,} of {born.numel():,} numbers are NaN, all where the "
            "mask is 0",
            form="product",
            weight=float(born.double().mean()),
        )
        return
