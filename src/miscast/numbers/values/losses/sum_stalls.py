"""A sum that grows step by step loses added terms, because each is small compared with the sum."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import torch

from ...ranges.loss import HALF
from .. import record
from ..call import Call, Operand, Result
from ..loss import Loss
from ..numbers import MEASURED, distance, unit
from ..sums import PLACES, SUMS, Sum, part_of

_ADDS = PLACES | {"add", "sub", "logaddexp", "logaddexp2"}
"""Ops that give a new sum of an old one and of what is added, in logarithms too."""
_BY_PLACES = PLACES | {"embedding_dense_backward"}
_DRIFT = 0.05
_MANY, _STEPS, _LOST, _STEADY, _ABSORBED, _STANDS = 64, 16, 0.01, 0.5, 0.1, 0.5


def observe(call: Call) -> Iterator[Loss]:
    """Yield the next addition to a sum, or a cumulative sum."""
    for result in call.results:
        if result.tensor.dtype not in MEASURED:
            continue
        if call.op in _BY_PLACES and result.tensor.dtype in HALF:
            yield from _by_places(call, result)
        if call.op == "cumsum":
            yield from _cumulative(call, result)
        elif result.before is not None:
            if call.op in SUMS:
                yield from _grown(call, result, _in_place(call, result))
        elif call.op in _ADDS:
            yield from _grown(call, result, _chained(call, result))
        elif call.op == "mul":
            yield from _drifted(call, result)


def _by_places(call: Call, result: Result) -> Iterator[Loss]:
    """Yield what one op adds up of itself, beside what was there before it."""
    if not result.finite:
        return
    exact = call.exact(result)
    if exact is None:
        return
    begun = 0 if result.before is None else result.before
    lost = distance(result.low - begun, exact - begun)
    if _DRIFT < lost < torch.inf:
        line = call.forward if call.site.phase == "backward" else None
        yield call.loss(
            at=call.site if line is None else replace(call.site, location=line),
            says=f"`{call.site.op}` accumulates in {call.site.dtype_name} and loses {lost:.0%} of the sums",
            form="places",
            weight=lost,
        )


def _in_place(call: Call, result: Result) -> Sum | None:
    kept = record.made(result.tensor)
    found = kept.sums.get((call.site, *part_of(result.tensor)))
    grows = found is not None and found.from_nothing and not kept.is_weight
    return found if grows else None


def _chained(call: Call, result: Result) -> Sum | None:
    """Return the running sum of `total = total + loss`: this line also created the operand, and the one before it."""
    if result.tensor.dtype not in HALF and result.tensor.numel() > 1:
        return None
    key = ("chain", call.site)
    before, found = call.summed(key), Sum()
    if before is not None and before.tensor.dtype == result.tensor.dtype:
        found = _longer(call, result, before, record.made(before.tensor).sums[key])
    record.made(result.tensor).sums[key] = found
    return found


def _longer(call: Call, result: Result, before: Operand, found: Sum) -> Sum:
    exact = call.exact(result)
    old = before.low.expand(result.low.shape)
    goes_on = exact is not None and found.add(old, result.low, exact)
    return found if goes_on else Sum()


def _grown(call: Call, result: Result, found: Sum | None) -> Iterator[Loss]:
    if found is None or found.count < _STEPS or found.steady < _STEADY:
        return
    stands = found.absorbed > _STANDS
    goes_far = found.count >= _MANY and found.lost > _DRIFT
    grows = (found.from_nothing or goes_far) and not found.decays
    if not stands and (found.lost < _LOST or not grows):
        return
    yield call.loss(
        f"a sum in {call.site.dtype_name} loses added terms: after {found.count} additions {found.lost:.1%} is "
        f"missing, and {found.absorbed:.0%} of the added amount changed nothing",
        form="total" if result.tensor.dtype in HALF else "float32 total",
        weight=found.lost * min(found.count, 1000),
    )


def _drifted(call: Call, result: Result) -> Iterator[Loss]:
    """Yield a product that grows factor by factor at one line: each rounds all that was there before."""
    if result.tensor.dtype not in HALF:
        return
    key = ("factors", call.site)
    before = call.summed(key)
    found = Sum() if before is None else record.made(before.tensor).sums[key]
    found.count += 1
    record.made(result.tensor).sums[key] = found
    others = [
        one for one in call.floats() if not one.record or key not in one.record.sums
    ]
    if any(one.error > 4 * unit(result.tensor.dtype) for one in others):
        return
    if found.count < _STEPS or not result.finite:
        return
    if result.error > _DRIFT:
        yield call.loss(
            f"a product in {call.site.dtype_name} drifts: after {found.count} factors it is {result.error:.0%} off",
            form="product",
            weight=result.error * min(found.count, 1000),
        )


def _cumulative(call: Call, result: Result) -> Iterator[Loss]:
    """Yield a precision loss for addends that change nothing, by their share of the whole."""
    kept, dim = record.find(result.tensor), call.bound["dim"]
    addends = next((one.low for one in call.floats()), None)
    if result.tensor.dtype not in HALF or not result.low.dim() or addends is None:
        return
    if (kept is not None and kept.whole) or addends.shape[dim] < 2:
        return
    if not bool(torch.isfinite(result.low).all()):
        return
    still = torch.zeros_like(addends, dtype=torch.bool)
    still.narrow(dim, 1, addends.shape[dim] - 1).copy_(result.low.diff(dim=dim) == 0)
    whole = float(addends.abs().sum())
    absorbed = float((addends.abs() * still).sum()) / whole if whole else 0.0
    if absorbed > _ABSORBED:
        yield call.loss(
            f"`cumsum` in {call.site.dtype_name} over {addends.shape[dim]:,} elements: {absorbed:.0%} of the "
            "added amount changes nothing because each term is small compared with the sum",
            weight=absorbed,
        )
