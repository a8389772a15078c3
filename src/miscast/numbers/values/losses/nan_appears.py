"""A number is NaN, in float64 too, that is made of numbers which are not; or a gradient, as a derivative is undefined.

The next op may take a NaN out again (`where`, `nan_to_num`, `masked_fill`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import torch

from .. import record
from ..call import Call, Result
from ..loss import Loss

RULE = "nan-appears"
SLOPE = "slope"
_SPREADS = frozenset({"std", "var", "std_mean", "var_mean"})
_DIFFERENCES = frozenset({"add", "sub", "rsub"})
_TWO = 2


def observe(call: Call) -> Iterator[Loss]:
    """Yield a finding if an op makes NaN, or of finite numbers of a backward pass others that are not finite."""
    if call.site.phase == "backward":
        yield from _slope(call)
    elif call.op in _SPREADS:
        yield from _spread(call)
    elif call.op == "mul" and call.site.phase != "optimizer":
        yield from _product(call)
    elif call.op in _DIFFERENCES and call.site.phase != "optimizer":
        yield from _infinities(call)


def new_nan(call: Call, result: Result, rule: str = RULE, form: str = "") -> float:
    """Return the share of NaN in a result, as in float64, of operands without NaN; note whose it is, for later ops."""
    if result.finite or result.tensor.is_complex():
        return 0.0
    born = torch.isnan(result.low) & torch.isnan(result.wide)
    share = float(born.double().mean())
    if not share or any(bool(torch.isnan(one.low).any()) for one in call.floats()):
        return 0.0
    record.made(result.tensor).nan_born = (rule, call.site, form)
    return share


def _slope(call: Call) -> Iterator[Loss]:
    for result in call.results:
        if result.finite or result.tensor.is_complex():
            continue
        bad = ~torch.isfinite(result.low) & ~torch.isfinite(result.wide)
        line = call.forward
        if line is None or not bool(bad.any()) or not _of_finite(call):
            continue
        yield call.loss(
            at=replace(call.site, location=line),
            says=f"the gradient of this line is NaN or infinite for {_some(bad)} elements: its derivative is undefined "
            "there",
            form=SLOPE,
            weight=float(bad.double().mean()),
        )


def _of_finite(call: Call) -> bool:
    return all(
        bool(torch.isfinite(one.low).all() & torch.isfinite(one.wide).all())
        for one in call.floats()
    )


def _spread(call: Call) -> Iterator[Loss]:
    """Yield the `std` or `var` of one number, which divide by one less than there are."""
    shares = [new_nan(call, one, form="spread") for one in call.results]
    if shares[0] and all(bool(torch.isfinite(one.low).all()) for one in call.floats()):
        yield call.loss(
            f"`{call.site.op}` of one number: {_some(torch.isnan(call.results[0].low))} results are NaN",
            form="spread",
            weight=shares[0],
        )


def _product(call: Call) -> Iterator[Loss]:
    """Yield a product of which one side hides by its zeros all that is not finite in the other."""
    if len(call.operands) != _TWO or len(call.results) != 1:
        return
    (result,) = call.results
    if result.finite or result.tensor.is_complex():
        return
    for mask, other in (call.operands, reversed(call.operands)):
        bad, hides = ~torch.isfinite(other.low), mask.low == 0
        if not mask.low.dim() or not bool((bad & hides).any()):
            continue
        if bool((bad & ~hides).any()):
            continue
        record.made(result.tensor).nan_born = (RULE, call.site, "product")
        born = torch.isnan(result.low)
        yield call.loss(
            f"0 times NaN or infinity: {_some(born)} numbers are NaN, all where the mask is 0",
            form="product",
            weight=float(born.double().mean()),
        )
        return


def _infinities(call: Call) -> Iterator[Loss]:
    """Yield infinity minus infinity, at the difference or at the op that made the infinities from finite numbers."""
    for result in call.results:
        share = new_nan(call, result, form="infinities")
        if not share:
            continue
        made = call.marked(lambda one: one.infinite)
        born = torch.isnan(result.low) & torch.isnan(result.wide)
        says = f"infinity minus infinity: {_some(born)} numbers are NaN"
        if made is None:
            yield call.loss(says, form="infinities", weight=share)
            continue
        yield call.loss(
            f"{says}; `{made.op}` made the infinities from finite numbers",
            at=made,
            form="pole",
            weight=share,
            also=(("then", call.site),),
        )


def _some(which: torch.Tensor) -> str:
    return f"{int(which.sum()):,} of {which.numel():,}"
