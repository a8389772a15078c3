"""A number that was rounded to 0 is divided by, or its logarithm taken.

## What
The shadow's number is small, but not 0; the real one is 0, and what `log`, `rsqrt` or a division makes of it is
infinite or NaN.

## Why
`softmax` and then `log` in half: improbable classes get a probability of 0 and a loss of infinity.

## Example
    loss = -logits.softmax(-1).log().mean()              # logits are float16

## Use instead
    loss = -logits.float().log_softmax(-1).mean()
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from ..call import Call
from ..loss import Loss
from ..numbers import MEASURED, largest

_POLES = frozenset(
    {
        "log",
        "log2",
        "log10",
        "rsqrt",
        "reciprocal",
        "div",
        "pow",
        "true_divide",
        "logit",
        "xlogy",
    }
)


def observe(call: Call) -> Iterator[Loss]:
    """A pole is hit by the real operand alone."""
    if call.op not in _POLES:
        return
    for result in call.results:
        if result.tensor.dtype not in MEASURED or result.finite:
            continue
        hit = (
            ~torch.isfinite(result.low)
            & torch.isfinite(result.wide)
            & (result.wide.abs() < largest(result.tensor.dtype))
        )
        for one in call.floats():
            try:
                zero = hit & (one.low == 0) & (one.wide != 0)
            except RuntimeError:
                continue
            if bool(zero.any()):
                culprit = one.record.culprit if one.record else None
                yield Loss(
                    rule="zero-by-rounding",
                    site=call.site,
                    says=f"`{call.site.op}` meets {int(zero.sum()):,} zeros that rounding to "
                    f"{str(one.tensor.dtype)[6:]} made, and gives infinity or NaN; one of them is "
                    f"{one.wide.expand(zero.shape)[zero][0].item():.2g}",
                    help="compute what leads here in float32, or use the fused form (`log_softmax`, `logsumexp`)",
                    weight=float(zero.double().mean()),
                    also=(("rounded to 0", culprit),) if culprit else (),
                )
                break
