"""A number is beyond what its dtype holds and becomes infinite.

## What
All operands are finite, in float64 the result is, too, and the real one is infinite: above 65504 in float16, above
3.4e38 in bfloat16 and float32.

## Why
torch says nothing. A softmax over an infinity is NaN, a division by one is 0: a norm that overflows makes each clipped
gradient 0, a variance that overflows each normalised feature.

## Not told
Masks: large negative numbers that stand for -inf. Gradients of a scaled loss: the GradScaler skips that step.

## Example
    variance = hidden.pow(2).mean(-1, keepdim=True)      # hidden is float16

## Use instead
    variance = hidden.float().pow(2).mean(-1, keepdim=True)
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from ..call import Call, Result
from ..loss import Loss
from ..numbers import MEASURED, largest

_ELEMENTWISE = frozenset(
    {
        "_to_copy",
        "copy",
        "add",
        "sub",
        "mul",
        "div",
        "masked_fill",
        "where",
        "fill",
        "rsub",
    }
)
_MASK = -3e4
_FEW = 8


def observe(call: Call) -> Iterator[Loss]:
    """Finite operands, an infinite result, and a finite shadow."""
    for result in call.results:
        dtype = result.tensor.dtype
        if dtype not in MEASURED or result.finite:
            continue
        beyond = (
            torch.isinf(result.low)
            & torch.isfinite(result.wide)
            & (result.wide.abs() > largest(dtype) * 0.99)
        )
        if bool(beyond.any()) and _finite(call) and not _is_mask(call, result, beyond):
            most = result.wide[beyond].abs().max().item()
            share = float(beyond.double().mean())
            yield Loss(
                rule="number-overflows",
                site=call.site,
                says=f"`{call.site.op}` overflows {call.site.dtype_name}, which ends at {largest(dtype):.3g}: "
                f"the result is {most:.3g}"
                + (f" ({share:.0%} of the elements)" if result.low.numel() > 1 else ""),
                help="compute it in float32: cast the operands first, `.float()`, or scale them down before",
                weight=share,
            )


def _finite(call: Call) -> bool:
    return all(bool(torch.isfinite(one.low).all()) for one in call.floats())


def _is_mask(call: Call, result: Result, beyond: torch.Tensor) -> bool:
    """Whether what overflowed is a few large negative numbers: -1e9 in a mask is meant to be -inf."""
    if call.op not in _ELEMENTWISE:
        return False
    numbers = result.wide[beyond]
    if float(numbers.max()) > _MASK:
        return False
    lowest = [one.low.min().item() for one in call.floats() if one.low.numel()]
    given = [
        value
        for value in call.bound.values()
        if isinstance(value, (int, float)) and not isinstance(value, bool)
    ]
    return min([0.0, *lowest, *given]) <= _MASK or numbers.unique().numel() <= _FEW
