"""A gradient is NaN or infinite although nothing overflowed, because a derivative is undefined.

## What it does
In the backward pass, an op turns finite numbers into infinity or NaN, in the float64 shadow as well, and the gradient
of a parameter is not finite afterwards. `sqrt`, a hand-written norm and `x ** 0.5` have no derivative at 0, and `acos`
has none at 1.

## Why is this bad?
0 * inf is NaN: even elements that are masked, or whose gradient is 0, turn the whole gradient into NaN.

## Limits
Not reported: overflow of a scaled loss, NaN of the forward pass, and gradients from which torch or the program removes
NaN.

## Example
    distance = (x[:, None] - x).pow(2).sum(-1).sqrt()    # 0 on the diagonal

## Use instead
    distance = ((x[:, None] - x).pow(2).sum(-1) + 1e-12).sqrt()
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import torch

from ..call import Call
from ..loss import Loss

RULE = "nan-appears"
SLOPE = "slope"


def observe(call: Call) -> Iterator[Loss]:
    """Yield a finding if an op of a backward pass turns finite numbers into non-finite ones."""
    if call.site.phase != "backward":
        return
    for result in call.results:
        if result.finite or result.tensor.is_complex():
            continue
        bad = ~torch.isfinite(result.low) & ~torch.isfinite(result.wide)
        line = call.forward
        if line is None or not bool(bad.any()) or not _of_finite(call):
            continue
        yield Loss(
            rule=RULE,
            site=replace(call.site, location=line),
            says=f"the gradient of this line is NaN or infinite for {int(bad.sum()):,} of {bad.numel():,} "
            "elements: its derivative is undefined there",
            form=SLOPE,
            weight=float(bad.double().mean()),
        )


def _of_finite(call: Call) -> bool:
    return all(
        bool(torch.isfinite(one.low).all() & torch.isfinite(one.wide).all())
        for one in call.floats()
    )
