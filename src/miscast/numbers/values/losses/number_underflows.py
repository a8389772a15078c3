"""Numbers are too small for their dtype: they lose precision and become 0."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import torch

from ....vm.provenance.origin import converts_module
from ...ranges.loss import EIGHTS, HALF
from ..call import Call, Result
from ..loss import Loss
from ..numbers import distance
from ..origins import CAST

PRODUCTS = frozenset({"prod", "cumprod"})
_LOST = 0.02
_LOST_IN_FLOAT8, _MOSTLY = 0.1, 0.5


def observe(call: Call) -> Iterator[Loss]:
    """Yield a precision loss if a half-precision result has an error far above one rounding, because it is small."""
    for result in call.results:
        yield from _small_in_float8(call, result)
        half = result.tensor.dtype in HALF or call.op in PRODUCTS
        if half and result.finite and result.before is None and result.error >= _LOST:
            yield from _small(call, result)


def _small(call: Call, result: Result) -> Iterator[Loss]:
    exact, least = call.exact(result), torch.finfo(result.tensor.dtype).tiny
    if exact is None or not bool(torch.isfinite(exact).all()):
        return
    if call.op == CAST and converts_module(sys._getframe()):
        return
    lost, size = distance(result.low, exact), float(exact.abs().max())
    gone = (exact.abs() < least) & (exact != 0) & (result.low == 0)
    if lost < _LOST or not bool(gone.any()) or size >= 64 * least:
        return
    form = "gradient" if call.site.phase == "backward" else form_of(call)
    constant = form == "cast" and not result.tensor.dim()
    share = float(gone.double().sum() / (exact != 0).double().sum())
    yield call.loss(
        rule="constant-vanishes" if constant else "",
        says=f"`{call.site.op}` underflows {call.site.dtype_name}: {share:.0%} of the numbers become 0 "
        f"(the largest is {size:.2g}), {lost:.0%} of the result is lost",
        form="factor" if constant else form,
        weight=lost,
    )


def in_float8(call: Call, result: Result) -> torch.Tensor | None:
    """Return the numbers that a cast or a copy makes float8 of."""
    name = {"_to_copy": "self", "copy": "src"}.get(call.op)
    given = next((one.low for one in call.floats() if one.name == name), None)
    if given is None or result.tensor.dtype not in EIGHTS:
        return None
    return given.expand(result.low.shape)


def _small_in_float8(call: Call, result: Result) -> Iterator[Loss]:
    """Yield a cast to float8 of numbers most of which are below its smallest normal one: they were not scaled."""
    given, dtype = in_float8(call, result), result.tensor.dtype
    if given is None:
        return
    inside = (given.abs() <= torch.finfo(dtype).max) & (given != 0)
    below = inside & (given.abs() < torch.finfo(dtype).tiny)
    if not bool(inside.any()) or int(below.sum()) < int(inside.sum()) * _MOSTLY:
        return
    lost = distance(result.low[inside], given[inside])
    if lost > _LOST_IN_FLOAT8:
        yield call.loss(
            f"numbers around {float(given[inside].abs().mean()):.2g} are cast to {call.site.dtype_name}, which has "
            f"full precision only above {torch.finfo(dtype).tiny:.2g}: {lost:.0%} is lost",
            form="cast",
            weight=lost,
        )


def form_of(call: Call) -> str:
    """Return the form of what passes an end of its dtype: products have logarithms, a cast nothing before it."""
    if call.op in PRODUCTS:
        return "product"
    return "cast" if call.op == "_to_copy" else ""
