"""A mask of zeros is multiplied to numbers that are NaN or infinite: 0 times them is NaN, not 0.

## What
All that is not finite in a tensor meets a 0 of what it is multiplied with, and is NaN afterwards.

## Why
Missing targets, padding and the logarithms of what a mask leaves out are NaN or infinite where the mask is 0. The sum
behind it is NaN then, and so are all gradients.

## Not told
Where the next op takes the NaN out again (`where`, `nan_to_num`, `masked_fill`).

## Example
    error = (prediction - target).square() * measured    # target is NaN where nothing was measured

## Use instead
    error = torch.where(measured, prediction - target, 0).square()
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from .. import record
from ..call import Call
from ..loss import Loss

RULE = "nan-appears"
_TWO = 2


def observe(call: Call) -> Iterator[Loss]:
    """A product of which one side hides by its zeros all that is not finite in the other."""
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
        yield Loss(
            rule=RULE,
            site=call.site,
            says=f"0 times NaN or infinity: {int(born.sum()):,} of {born.numel():,} numbers are NaN, all where the "
            "mask is 0",
            form="product",
            weight=float(born.double().mean()),
        )
        return
