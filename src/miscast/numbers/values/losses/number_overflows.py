"""A finite number exceeds the range of its dtype and becomes infinite."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from .. import record
from ..call import Call, Result
from ..loss import Loss
from ..numbers import MEASURED
from .number_underflows import form_of

_ELEMENTWISE = frozenset({
    "_to_copy", "copy", "add", "sub", "mul", "div", "masked_fill", "where", "fill", "rsub",
})  # fmt: skip
_MASK, _BEYOND = -3e4, -1e8
_NEAR, _SOME = 2e-3, 1 << 12
_ENDS = tuple(float(torch.finfo(torch.float16).min) * n for n in (0.5, 1, 2))


def observe(call: Call) -> Iterator[Loss]:
    """Yield a precision loss if the operands and the shadow are finite, and the result is infinite."""
    for result in call.results:
        dtype = result.tensor.dtype
        if dtype not in MEASURED or result.finite:
            continue
        beyond = (
            torch.isinf(result.low)
            & torch.isfinite(result.wide)
            & (result.wide.abs() > torch.finfo(dtype).max * 0.99)
        )
        if not bool(beyond.any()) or not _finite(call):
            continue
        if _is_mask(call, result, beyond):
            record.made(result.tensor).overflowed = call.site
        else:
            most = result.wide[beyond].abs().max().item()
            share = float(beyond.double().mean())
            yield call.loss(
                f"`{call.site.op}` overflows {call.site.dtype_name}, which ends at {torch.finfo(dtype).max:.3g}: "
                f"the exact result is {most:.3g}"
                + (f" ({share:.0%} of the elements)" if result.low.numel() > 1 else ""),
                form=form_of(call),
                weight=share,
            )


def _finite(call: Call) -> bool:
    return all(bool(torch.isfinite(one.low).all()) for one in call.floats())


def _is_mask(call: Call, result: Result, beyond: torch.Tensor) -> bool:
    """Check whether what overflowed are large negative numbers that somebody wrote down.

    -1e9 in a mask is meant to be -inf.

    Numbers of a mask stand among the operands, or in the code; a few small ones may have been added to them.
    """
    if call.op not in _ELEMENTWISE:
        return False
    numbers = result.wide[beyond]
    if float(numbers.max()) > _MASK:
        return False
    given = (v for v in call.bound.values() if type(v) in (int, float))
    return (
        any(v <= _MASK for v in given)
        or any(_written_down(one.low[one.low <= _MASK]) for one in call.floats())
        or _written_down(numbers)
    )


def _written_down(numbers: torch.Tensor) -> bool:
    """Check whether large negative numbers are near powers of ten, the end of a dtype, or infinite."""
    if not numbers.numel():
        return False
    some = numbers.flatten()[:_SOME].double()
    digit = 10.0 ** some.abs().log10().floor()
    near = ((some / digit).round() * digit / some - 1).abs() < _NEAR
    for end in _ENDS:
        near |= (some / end - 1).abs() < _NEAR
    return bool((near | (some < _BEYOND)).all())
