"""A gradient is NaN or infinite although nothing overflowed, because a derivative is undefined."""

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
        yield call.loss(
            at=replace(call.site, location=line),
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
