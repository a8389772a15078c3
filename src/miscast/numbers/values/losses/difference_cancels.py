"""An op amplifies the rounding errors of its operands, and its result is mostly error."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from ...ranges.loss import HALF
from .. import record
from ..beside import PRODUCTS
from ..call import Call, Operand, Result
from ..infinities import LOGARITHMS
from ..loss import Loss
from ..numbers import MEASURED, distance, unit
from ..residues import is_nothing
from ..site import Site
from ..sums import part_of
from .number_underflows import PRODUCTS as UNDERFLOW

_OPS = PRODUCTS - {"mm", "bmm"} | {
    "add", "sub", "rsub", "log", "log2", "log10", "exp", "pow", "square", "rsqrt", "reciprocal", "acos", "asin",
    "acosh", "atanh", "cumprod", "prod", "tan", "logit", "addcmul",
}  # fmt: skip
_DIFFERENCES = frozenset({"add", "sub", "rsub"})
_LONG = frozenset({"pow", "square", "prod", "cumprod"})
_SQUARES = frozenset({"mul", "pow", "square"})
_OF_MATRICES = PRODUCTS | {"mv", "dot"}
_SUMS_OF_SQUARES = _SQUARES | {"sum", "add", "mean", "div", "linalg_vector_norm"}
_LARGE, _LARGE_IN_FLOAT32, _TIMES, _FRESH = 0.05, 0.01, 8, 4
_ONE_ROUNDING, _A_LITTLE, _TENTH = 0.02, 0.02, 0.1
_PARTS = 0.03
_CHOOSE_LEAST = frozenset({"min", "amin", "topk", "kthvalue"})
_EXTREMES = frozenset({"max", "min", "amax", "amin"})
_ZERO = 1e-12
_OF_ITSELF = {
    **dict.fromkeys(("_euclidean_dist", "_cdist_forward"), "distances"),
    **dict.fromkeys(("linalg_lstsq", "_linalg_solve_ex", "linalg_inv_ex", "linalg_solve_triangular", "cholesky_solve",
                     "triangular_solve", "linalg_lu_solve", "cholesky_inverse"), "solved"),
}  # fmt: skip
_SAYS = {
    "distances": "distances computed as |a|^2 - 2ab + |b|^2 in {dtype} are {off} off: the points are far from 0 but "
    "close to each other",
    "solved": "`{op}` in {dtype} gives a solution that is {off} off",
}
_STEP, _NOTHING = 0.01, 1e-6
"""The largest divisor of a difference that is a derivative."""


def observe(call: Call) -> Iterator[Loss]:
    """Yield a precision loss if operands with small errors give a result with a large one."""
    yield from _of_itself(call)
    yield from _least(call)
    yield from _derivative(call)
    yield from _of_integers(call)
    if call.op not in _OPS or _is_of_losses(call):
        return
    if call.op in _DIFFERENCES and _made_by(call, *PRODUCTS):
        call.site.expands = True
    for result in call.results:
        dtype = result.tensor.dtype
        if dtype not in MEASURED or _is_updated(call, result):
            continue
        error, had = _error(call, result), _had(call, result)
        if not _is_residual(call, result) and _grows(call, result, had, error):
            yield _amplified(call, dtype, had, error)


def _amplified(call: Call, dtype: torch.dtype, had: float, error: float) -> Loss:
    share = _lost_already(call) if call.op in LOGARITHMS else 0.0
    if share > _PARTS and call.source is not None:
        return _small_ones_lost(call, call.source, share)
    return call.loss(
        f"`{call.site.op}` in {call.site.dtype_name} amplifies a relative error of {_told(had)} to {_told(error)}",
        form=_form(call, dtype),
        weight=error,
        also=(("rounded", call.culprit),) if call.culprit else (),
    )


def _is_residual(call: Call, result: Result) -> bool:
    """Check for a float32 difference that a loop brings to 0, or of a product and what is no sum of squares: `b - Ax`.

    A small residual is the rounding of the product, and `x` has no more digits. Of distances it is what is wanted.
    The range of numbers that are alike but for rounding, largest less least, shows that they are.
    """
    if result.tensor.dtype != torch.float32 or call.op not in _DIFFERENCES | PRODUCTS:
        return False
    made = _makers(call)
    rest = [name for name in made if name not in _OF_MATRICES]
    if call.op in PRODUCTS:
        return made[0] not in _SUMS_OF_SQUARES
    if made[1:] and _EXTREMES.issuperset(made):
        return True
    if len(rest) < len(made) and not _SUMS_OF_SQUARES.intersection(rest):
        return True
    return call.site.falling.settles(float(torch.linalg.vector_norm(result.low)))


def _is_of_losses(call: Call) -> bool:
    """Check whether parts of a loss are subtracted, single numbers: no gradient depends on the difference."""
    if call.op not in _DIFFERENCES or _is_variance(call):
        return False
    return all(
        one.tensor.requires_grad and not one.tensor.dim() for one in call.operands
    )


def _grows(call: Call, result: Result, had: float, error: float) -> bool:
    """Check whether an error is large, and was small among the operands."""
    dtype = result.tensor.dtype
    least = _LARGE if dtype in HALF and not _has_a_name(call) else _LARGE_IN_FLOAT32
    if error < max(least, _TIMES * had) or _underflows(call, result):
        return False
    if call.op in PRODUCTS and not _cancels_what_is_added(call, result):
        return False
    fresh = _is_fresh(call, dtype, had) or _is_of_this_line(call, had)
    return fresh and (not is_nothing(call, result) or _is_variance(call))


def _is_fresh(call: Call, dtype: torch.dtype, had: float) -> bool:
    """Check whether operands have no more than a few roundings; a logarithm in float32 may be of what was in half."""
    if call.op in LOGARITHMS and call.source and call.source.dtype in HALF:
        dtype = call.source.dtype
    return 0 < had <= _FRESH * unit(dtype)


def _is_updated(call: Call, result: Result) -> bool:
    """Check whether a line changes a tensor again and again, and so may come near something."""
    if result.before is None:
        return False
    sums = record.made(result.tensor).sums
    return not call.site.is_formula or (call.site, *part_of(result.tensor)) in sums


def _had(call: Call, result: Result) -> float:
    """Return the largest error of the operands; where one was changed it is gone, but for what was known of it."""
    if result.before is not None:
        return call.inherited
    return max((one.error for one in call.floats()), default=0.0)


def _cancels_what_is_added(call: Call, result: Result) -> bool:
    """Check whether a product takes away most of what it is added to, and not its own terms each other."""
    added = next(call.floats())
    size = float(added.low.square().mean())
    return added.name == "self" and size > _TIMES * float(result.wide.square().mean())


def _underflows(call: Call, result: Result) -> bool:
    if not result.finite or call.op not in UNDERFLOW:
        return not result.finite
    return bool(((result.low == 0) & (result.wide != 0)).any())


def _form(call: Call, dtype: torch.dtype) -> str:
    if call.op in _LONG:
        return "power"
    if _has_a_name(call):
        return "log" if call.op == "log" else "exp"
    if _is_variance(call):
        return "variance"
    return "" if dtype in HALF else "double"


def _is_variance(call: Call) -> bool:
    of_mean = call.op in _DIFFERENCES and _made_by(call, "mean")
    return of_mean and _made_by(call, *_SQUARES)


def _is_of_this_line(call: Call, had: float) -> bool:
    """Check whether a one-line formula has lost a little already, as `exp(x) - 1 - x` for small x in its first term."""
    made = call.source
    # all of a backward pass is of one line
    here = made is not None and made.location == call.site.location
    return here and call.site.is_formula and 0 < had < _A_LITTLE


def _lost_already(call: Call) -> float:
    """Return the share of an operand's numbers that are a tenth off and more: small ones beside large ones."""
    one = next(call.floats())
    off = (one.low - one.wide).abs() > _TENTH * one.wide.abs()
    return float(off.double().mean())


def _small_ones_lost(call: Call, made: Site, share: float) -> Loss:
    return call.loss(
        at=made,
        says=f"`{made.op}` in {made.dtype_name} loses small numbers next to large ones: {share:.0%} are off by "
        f"a tenth or more when `{call.site.op}` uses them",
        weight=share,
        also=(("taken", call.site),),
    )


def _of_itself(call: Call) -> Iterator[Loss]:
    """Yield a precision loss if an op gives mostly rounding of operands that have hardly any.

    Distances, by squares and products, of points far from 0 and near each other; solutions of equations that are nearly
    the same one, as of powers of large numbers.
    """
    form = _OF_ITSELF.get(call.op, "")
    if not form or call.site.phase == "backward":
        return
    result, dtype = call.results[0], call.results[0].tensor.dtype
    if dtype not in MEASURED or not result.finite:
        return
    coarse = dtype in HALF or form == "solved"
    least = _LARGE if coarse else _LARGE_IN_FLOAT32
    had = max((one.error for one in call.floats()), default=0.0)
    if least <= result.error < torch.inf and had <= _FRESH * unit(dtype):
        name, off = call.site.dtype_name, _told(result.error)
        says = _SAYS[form].format(op=call.site.op, dtype=name, off=off)
        yield call.loss(says, form=form, weight=result.error)


def _least(call: Call) -> Iterator[Loss]:
    """Yield a precision loss if the least of many differences, as |a|^2 + |b|^2 - 2ab, are chosen: rounding."""
    if call.op not in _CHOOSE_LEAST or call.bound.get("largest") is True:
        return
    given, result = next(call.floats(), None), call.results[0]
    culprit = _culprit(given)
    if given is None or culprit is None or not culprit.expands:
        return
    if result.tensor.dtype not in MEASURED or not result.finite:
        return
    # what is 0, as the distance of a point to itself, is not known by its size
    counts = result.wide.abs() > _ZERO * float(given.wide.abs().max())
    if given.error > _LARGE_IN_FLOAT32 or not bool(counts.any()):
        return
    error = distance(result.low[counts], result.wide[counts])
    if _LARGE <= error < torch.inf and error >= _TIMES * given.error:
        yield call.loss(
            at=culprit,
            says=f"the smallest of these differences in {culprit.dtype_name} are {_told(error)} off",
            form="double",
            weight=error,
            also=(("chosen", call.site),),
        )


def _derivative(call: Call) -> Iterator[Loss]:
    """Yield a precision loss for a float32 difference divided by a small step: it is mostly rounding."""
    step = call.bound.get("other")
    if call.op not in ("div", "mul") or type(step) not in (int, float) or not step:
        return
    given = next(call.floats(), None)
    culprit = _culprit(given)
    if given is None or culprit is None or culprit.op not in _DIFFERENCES:
        return
    if abs(step if call.op == "div" else 1 / step) > _STEP or _is_nothing(given):
        return
    if not {given.tensor.dtype, culprit.dtype} - {torch.float32}:
        yield call.loss(
            at=culprit,
            says=f"a finite difference with a step of {step:g} in float32 is {_told(given.error)} off",
            form="derivative",
            weight=given.error,
            also=(("divided", call.site),),
        )


def _of_integers(call: Call) -> Iterator[Loss]:
    """Yield a precision loss for a difference in float64 of integers beyond 2^53, as nanoseconds since 1970."""
    (result,) = call.results if len(call.results) == 1 else (None,)
    if call.op not in _DIFFERENCES or result is None or not result.was_integer:
        return
    if _LARGE_IN_FLOAT32 <= result.error < torch.inf:
        yield call.loss(
            f"integers up to {max(int(one.wide.abs().max()) for one in call.operands):,} are not exact in float64: "
            f"their difference is {_told(result.error)} off",
            form="integers",
            weight=result.error,
            also=(("rounded", call.culprit),) if call.culprit else (),
        )


def _culprit(one: Operand | None) -> Site | None:
    return None if one is None or one.record is None else one.record.culprit


def _is_nothing(one: Operand) -> bool:
    """Check whether the difference is as it should be, or should be 0: it was taken to see that."""
    wide, low = map(torch.linalg.vector_norm, (one.wide, one.low))
    return not _LARGE <= one.error < torch.inf or float(wide) <= _NOTHING * float(low)


def _has_a_name(call: Call) -> bool:
    """Check whether it is `exp(x) - 1` or `log(1 + x)`, which torch has without the rounding in between."""
    if call.op in {"sub", "rsub"}:
        return _from_one(call) and _made_by(call, "exp")
    return call.op == "log" and _made_by(call, "add")


def _from_one(call: Call) -> bool:
    return any(
        type(value) in (int, float) and abs(value) == 1
        for name, value in call.bound.items()
        if name != "alpha"
    )


def _made_by(call: Call, *ops: str) -> bool:
    return not set(ops).isdisjoint(_makers(call))


def _makers(call: Call) -> list[str]:
    return [one.record.made_by if one.record else "" for one in call.floats()]


def _error(call: Call, result: Result) -> float:
    """Return the error of the whole result; for `1 - x`, also of elements near 0 if many are mostly error."""
    if call.op not in {"sub", "rsub"} or not _from_one(call):
        return result.error
    if _made_by(call, "sigmoid", "_softmax"):
        return result.error
    parts = (result.low - result.wide).abs() > 0.25 * result.wide.abs()
    share = float(parts.double().mean())
    return max(result.error, 0.25 if share > _PARTS else 0.0)


def _told(error: float) -> str:
    return f"{error:.0%}" if error >= _ONE_ROUNDING else f"{error:.1g}"
