"""An op multiplies the rounding of its operands: what is left of them is mostly error.

## What
The operands were just rounded in the dtype of the op; the result's error is eight times theirs and more, and above 5 %,
in float32 above 1 %.
A difference of near numbers does that, and the logarithm of a number near 1, a large power, a long product. So does
`cdist`, which multiplies |a - b|^2 out from 25 rows on, and a difference in float32 that is divided by a small step.

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

import torch

from ..call import Call, Operand, Result
from ..loss import Loss
from ..numbers import HALVES, MEASURED, unit
from ..residues import is_residue

_OPS = frozenset({"add", "sub", "rsub", "log", "log2", "log10", "exp", "pow", "square", "rsqrt", "reciprocal", "acos",
                  "asin", "acosh", "atanh", "cumprod", "prod", "tan", "logit", "addcmul"})  # fmt: skip
_LARGE, _LARGE_IN_FLOAT32, _TIMES, _FRESH = 0.05, 0.01, 8, 4
_ONE_ROUNDING = 0.02
_PARTS = 0.03
_DISTANCES = frozenset({"_euclidean_dist", "_cdist_forward"})
_STEP, _NOTHING = 0.01, 1e-6
"""What a difference is divided by where it stands for a derivative."""


def observe(call: Call) -> Iterator[Loss]:
    """Small errors in, a large error out."""
    yield from _distances(call)
    yield from _derivative(call)
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


def _distances(call: Call) -> Iterator[Loss]:
    """Distances of points that are far from 0 and near each other, by their squares and products."""
    if call.op not in _DISTANCES or call.site.phase == "backward":
        return
    (result,) = call.results
    dtype = result.tensor.dtype
    least = _LARGE if dtype in HALVES else _LARGE_IN_FLOAT32
    had = max((one.error for one in call.floats()), default=0.0)
    if (
        dtype not in MEASURED
        or not result.finite
        or not least <= result.error < torch.inf
    ):
        return
    if had <= _FRESH * unit(dtype):
        yield Loss(
            rule="difference-cancels",
            site=call.site,
            says=f"distances by |a|^2 - 2ab + |b|^2 in {call.site.dtype_name} are {_told(result.error)} off: the "
            "points are far from 0 and near each other",
            help="take the mean off the points first, or torch.cdist(..., compute_mode="
            '"donot_use_mm_for_euclid_dist")',
            weight=result.error,
        )


def _derivative(call: Call) -> Iterator[Loss]:
    """A difference in float32 over a small step: what is divided is mostly rounding."""
    step = call.bound.get("other")
    if call.op not in ("div", "mul") or type(step) not in (int, float) or not step:
        return
    if abs(step if call.op == "div" else 1 / step) > _STEP:
        return
    given = next(call.floats(), None)
    if given is None or given.record is None:
        return
    culprit = given.record.culprit
    if (
        culprit is None
        or given.tensor.dtype != torch.float32
        or culprit.dtype != torch.float32
    ):
        return
    if (
        culprit.op in ("add", "sub", "rsub")
        and _LARGE <= given.error < torch.inf
        and not _is_nothing(given)
    ):
        yield Loss(
            rule="difference-cancels",
            site=culprit,
            says=f"a difference over a step of {step:g}: in float32 it is {_told(given.error)} off",
            help="a larger step, float64, or autograd's derivative",
            weight=given.error,
            also=(("divided", call.site),) if culprit is not call.site else (),
        )


def _is_nothing(one: Operand) -> bool:
    """Whether the difference should be 0: it was taken to see that."""
    return float(torch.linalg.vector_norm(one.wide)) <= _NOTHING * float(
        torch.linalg.vector_norm(one.low)
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
