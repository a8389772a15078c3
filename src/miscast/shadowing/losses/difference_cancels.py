"""An op multiplies the rounding of its operands: what is left of them is mostly error.

## What
The operands were just rounded in the dtype of the op; the result's error is eight times theirs and more, and above 5 %,
in float32 above 1 %.
A difference of near numbers does that, and the logarithm of a number near 1, a large power, a long product.

## Why
1 + x - exp(x) of small x is rounding alone in bfloat16: each term is near 1 and has three digits.

## Not told
What inherits its error: the difference of a network's output and its target is as good as the output. Sums and matrix
products of numbers of both signs. What is left of a gate, 1 - sigmoid(x), but for what takes its logarithm.

## Example
    terms = 1 + logvar - mean.pow(2) - logvar.exp()      # bfloat16

## Use instead
    mean, logvar = mean.float(), logvar.float()
"""

from __future__ import annotations

from collections.abc import Iterator

from ..call import Call, Result
from ..loss import Loss
from ..numbers import HALVES, MEASURED, unit
from ..residues import is_residue

_OPS = frozenset({"add", "sub", "rsub", "log", "log2", "log10", "exp", "pow", "square", "rsqrt", "reciprocal", "acos",
                  "asin", "acosh", "atanh", "cumprod", "prod", "tan", "logit", "addcmul"})  # fmt: skip
_LARGE, _LARGE_IN_FLOAT32, _TIMES, _FRESH = 0.05, 0.01, 8, 4
_ONE_ROUNDING = 0.02
_PARTS = 0.03


def observe(call: Call) -> Iterator[Loss]:
    """Small errors in, a large error out."""
    if call.op not in _OPS:
        return
    for result in call.results:
        dtype = result.tensor.dtype
        if dtype not in MEASURED or result.before is not None:
            continue
        error = _error(call, result)
        least = _LARGE if dtype in HALVES else _LARGE_IN_FLOAT32
        if error < least or not result.finite:
            continue
        had = max((one.error for one in call.floats()), default=0.0)
        if (
            not 0 < had <= _FRESH * unit(dtype)
            or error < _TIMES * had
            or is_residue(call, result)
        ):
            continue
        culprit = call.culprit
        yield Loss(
            rule="difference-cancels",
            site=call.site,
            says=f"`{call.site.op}` in {call.site.dtype_name} makes an error of {_told(had)} to one of {_told(error)}",
            help="compute these terms in float32, or in a form without the difference (log1p, expm1, sum of squared "
            "differences)",
            weight=error,
            also=(("rounded", culprit),)
            if culprit and culprit is not call.site
            else (),
        )


def _error(call: Call, result: Result) -> float:
    """Of the whole; of `1 - x` also that of the elements near 0, where a good part of all is mostly error."""
    from_one = any(
        type(value) in (int, float) and abs(value) == 1
        for name, value in call.bound.items()
        if name != "alpha"
    )
    if call.op not in {"sub", "rsub"} or not from_one:
        return result.error
    if any(one.record is not None and one.record.is_chance for one in call.floats()):
        return result.error
    parts = (result.low - result.wide).abs() > 0.25 * result.wide.abs()
    share = float(parts.double().mean())
    return max(result.error, 0.25 if share > _PARTS else 0.0)


def _told(error: float) -> str:
    return f"{error:.0%}" if error >= _ONE_ROUNDING else f"{error:.1g}"
