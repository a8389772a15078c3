"""A gradient is NaN or infinite although nothing overflowed: the derivative of an op at this point has no value.

## What
In a backward pass an op makes infinities or NaN of finite numbers, beside in float64 too, and a parameter's gradient is
not finite afterwards. `sqrt`, and a norm by hand, have no derivative at 0, `acos` none at 1, `x ** 0.5` none at 0.

## Why
0 * inf is NaN: also elements that a mask leaves out, or whose gradient is 0, make it of the whole gradient.

## Not told
What a scaled loss overflows, and NaN of the forward pass. A gradient of which torch, or the program, takes NaN out.

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
    """Finite numbers of which an op of a backward pass makes others."""
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
            "elements: what it computes has no derivative there",
            form=SLOPE,
            weight=float(bad.double().mean()),
        )


def _of_finite(call: Call) -> bool:
    return all(
        bool(torch.isfinite(one.low).all() & torch.isfinite(one.wide).all())
        for one in call.floats()
    )
