"""Uniform numbers of a half dtype are 0, and their logarithm is taken. `choices` checks all that does not round."""

from __future__ import annotations

from collections.abc import Iterator

from ..call import Call
from ..choices import is_uniform
from ..infinities import LOGARITHMS
from ..loss import Loss


def observe(call: Call) -> Iterator[Loss]:
    """Yield logarithms of draws of which several are 0, as those of float16 are once in 4096."""
    one = next(call.floats(), None)
    if call.op not in LOGARITHMS or one is None or not is_uniform(one.tensor):
        return
    zeros = int((one.low == 0).sum())
    if zeros:
        yield call.loss(
            f"{zeros:,} of {one.low.numel():,} uniform numbers in {call.site.dtype_name} are 0, and have no logarithm",
            form="drawn",
        )
