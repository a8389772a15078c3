"""A number that was rounded to 0 is divided by, or its logarithm taken: the shadow's is small, but not 0.

Or a divisor is ten times off and more, where a small one became 0 and was bounded from below; or all exponentials of a
sum are 0, whose logarithm is taken.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from ...ranges.loss import HALF
from ..call import Call
from ..infinities import LOGARITHMS, POLES
from ..loss import Loss
from ..numbers import MEASURED

_AT = {"log1p": (-1,), "atanh": (-1, 1), "erfinv": (-1, 1), "logit": (0, 1)}
"""Poles of an op, if not at 0."""
_TIMES, _SHARE = 10, 0.03


def observe(call: Call) -> Iterator[Loss]:
    """Yield a pole is hit by the real operand alone."""
    if call.op not in POLES:
        return
    yield from _divided(call)
    yield from _of_exponentials(call)
    for result in call.results:
        if result.tensor.dtype not in MEASURED or result.finite:
            continue
        hit = (
            ~torch.isfinite(result.low)
            & torch.isfinite(result.wide)
            & (result.wide.abs() < torch.finfo(result.tensor.dtype).max)
        )
        at = _AT.get(call.op, (0.0,))
        for one in call.floats():
            try:
                on = torch.stack([one.low == pole for pole in at]).any(0)
                zero = hit & on & (one.wide != one.low)
            except RuntimeError:
                continue
            if bool(zero.any()):
                culprit = one.record.source if one.record else None
                yield call.loss(
                    rule="nan-appears",
                    says=f"`{call.site.op}` gets {int(zero.sum()):,} {_named(at)} that rounding to "
                    f"{str(one.tensor.dtype)[6:]} made, and gives infinity or NaN; the exact value of one is "
                    f"{one.wide.expand(zero.shape)[zero][0].item():.2g}",
                    form="rounded to 0",
                    weight=float(zero.double().mean()),
                    also=(("rounded to 0", culprit),) if culprit else (),
                )
                break


def _named(at: tuple[float, ...]) -> str:
    return "zeros" if at == (0.0,) else "numbers at its pole"


def _divided(call: Call) -> Iterator[Loss]:
    """Yield a precision loss for divisors that were 0 until they were bounded from below."""
    divisor = next((one for one in call.floats() if one.name == "other"), None)
    if call.op != "div" or divisor is None or divisor.record is None:
        return
    low, wide = divisor.low.abs(), divisor.wide.abs()
    culprit = divisor.record.source or call.site
    off = wide > _TIMES * low
    if (
        culprit.dtype in HALF
    ):  # in float32 it is the noise below which nothing is measured
        off |= low > _TIMES * wide
    off &= (wide > 0) & (low > 0) & torch.isfinite(wide) & torch.isfinite(low)
    share = float(off.double().mean())
    if share < _SHARE and not (share and call.results[0].error > _TIMES):
        return
    yield Loss(
        rule="nan-appears",
        site=culprit,
        says=f"{share:.0%} of the divisors are off by a factor of {_TIMES} or more because `{culprit.op}` in "
        f"{culprit.dtype_name} rounds them; one is {low[off][0].item():.2g} and should be {wide[off][0].item():.2g}",
        form="rounded to 0",
        weight=share,
        also=(("divided by", call.site),),
    )


def _of_exponentials(call: Call) -> Iterator[Loss]:
    """Yield a precision loss for a hand-written log(sum(exp(x))) if all terms of a sum are 0."""
    operand = next(call.floats(), None)
    if call.op not in LOGARITHMS or operand is None or operand.record is None:
        return
    zero = (operand.low == 0) & (call.results[0].low == -torch.inf)
    if operand.record.vanished is not None and bool(zero.any()):
        yield call.loss(
            rule="nan-appears",
            says=f"`{call.site.op}` of sums of exponentials that are all 0: {int(zero.sum()):,} of {zero.numel():,} "
            "become -inf",
            form="log sum",
            weight=float(zero.double().mean()),
            also=(("became 0", operand.record.vanished),),
        )
