"""Updates are too small to change the numbers that they are added to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch

from ....vm.provenance.origin import Origin
from ...ranges.loss import HALF
from .. import record
from ..beside import PRODUCTS
from ..call import Call, Operand, Result
from ..carried import hand_on, put_back, returned
from ..loss import Loss
from ..numbers import distance, unit
from ..origins import met_as, origin_of
from ..site import Site
from ..sums import SUMS, UPDATES, Sum, part_of, spread

RULE = "update-absorbed"
OPS = UPDATES | {
    "mul", "native_batch_norm", "cudnn_batch_norm", "_native_batch_norm_legit", "_batch_norm_with_update",
    "_fused_adam", "_fused_adamw", "_fused_sgd", "_fused_adagrad",
}  # fmt: skip
_SHARE, _LOST = 0.5, 0.3
_SOME, _MOST_LOST = 0.25, 0.5
_ALL = "all"
_STATE, _COUNTER = 3, 10
_MANY, _MANY_PARTS = 64, 16
_SHORT = 0.05
_MOST_ABSORBED = 0.8
_TERMS = frozenset({"add", "sub"})
_FACTORS = ("mat2", "vec2", "batch2")
_GAP, _TRACE, _ROUNDINGS = 0.01, 2e-5, 4


def observe(call: Call) -> Iterator[Loss]:
    """Yield a tensor that an op changes: what it should have become, and what it became."""
    for result in call.results:
        again = returned(call, result)
        if again is not None:
            yield from _told(call, result, again, again, decays=not _is_chain(call))
    hand_on(call)
    yield from _merged(call)
    for result in call.results:
        found = _sums(call, result)
        if found is not None:
            yield from _told(call, result, *found)


def _merged(call: Call) -> Iterator[Loss]:
    """Yield a precision loss for a value that is added to weights once and mostly has no effect."""
    if call.op not in SUMS or not call.site.is_formula:
        return
    bases = [one for one in call.operands if one.name == "self"]
    changes = [one for one in call.operands if one.name in ("other", *_FACTORS)]
    for base, result in zip(bases, call.results, strict=False):
        before = base.low if result.before is None else result.before
        if not _is_put_in(call, base, result, changes[result.index :]):
            continue
        yield from _once(call, before, result)


def _is_put_in(
    call: Call, base: Operand, result: Result, changes: Sequence[Operand]
) -> bool:
    """Check whether a change of weights for good, as an adapter that is merged, is what an op does."""
    shape = base.low.shape
    if shape != result.low.shape or not _is_alone(call, result):
        return False
    if call.op in _TERMS and not (changes and changes[0].low.shape == shape):
        return False
    if isinstance(base.tensor, torch.nn.Parameter):
        return True
    made_by = {one.record.made_by for one in changes[:1] if one.record is not None}
    of_products = call.op in PRODUCTS or made_by & {"_to_copy", *PRODUCTS}
    return call.site.phase == "program" and bool(of_products)


def _is_alone(call: Call, result: Result) -> bool:
    """Check whether it is a large half-precision tensor, to which this line has added nothing before."""
    if result.tensor.dtype not in HALF or result.low.numel() < _MANY:
        return False
    known = record.find(result.tensor)
    keys = () if known is None else known.sums
    return all(key[0] is not call.site for key in keys if isinstance(key, tuple))


def _sums(call: Call, result: Result) -> tuple[Sum, Sum] | None:
    """Return the requested and actual change of this line, and of all lines that update the tensor."""
    before, kept = result.before, record.made(result.tensor)
    if before is None or not _is_looked_at(call, result, kept):
        return None
    exact = put_back(call, result)
    if exact is None and _changes(call):
        exact = call.exact(result)
    if exact is None:
        return None
    part = part_of(result.tensor)
    if (call.site, *part) not in kept.sums and len(kept.sums) > _MANY:
        return None
    numbers = [spread(one, result.tensor) for one in (before, result.low, exact)]
    here, everywhere = (
        _added(kept, (whose, *part), numbers) for whose in (call.site, _ALL)
    )
    return here, everywhere


def _added(
    kept: record.Record, key: tuple[object, ...], numbers: Sequence[torch.Tensor]
) -> Sum:
    """Return a sum with one more change, which begins anew if it is of another tensor."""
    known = kept.sums.setdefault(key, Sum())
    if not known.add(*numbers):
        kept.sums[key] = Sum()
    return known


def _is_looked_at(call: Call, result: Result, kept: record.Record) -> bool:
    """Check whether a change may be reported: in float32, not of weights and not of sums by torch itself."""
    if result.tensor.dtype in HALF:
        return True
    return (
        result.tensor.dtype == torch.float32 and not kept.is_weight and call.site.is_own
    )


def _is_put(call: Call) -> bool:
    """Check whether numbers are put into a tensor, and not added to it."""
    return call.op in ("index_put", "put") and not call.bound.get("accumulate")


def _changes(call: Call) -> bool:
    return call.op in OPS and not _is_put(call)


def _is_chain(call: Call) -> bool:
    """Check whether an operand is this line's last result, unchanged: a plain sum, which another rule checks."""
    return call.summed(("chain", call.site)) is not None


def _told(
    call: Call, result: Result, found: Sum, every: Sum, *, decays: bool = False
) -> Iterator[Loss]:
    kept = record.made(result.tensor)
    if decays or call.op not in SUMS or kept.is_weight or not found.from_nothing:
        absorbed = _absorbed(call, result, found, every, decays=decays)
        if absorbed:
            yield _loss(call, result, kept, found, absorbed)


def _absorbed(
    call: Call, result: Result, found: Sum, every: Sum, *, decays: bool
) -> float:
    """Return the share of the changes that had no effect, 0 if too few are lost to matter."""
    kept, least, absorbed = record.made(result.tensor), _STATE, found.absorbed
    if result.tensor.dtype == torch.float32:
        least = _COUNTER
        if not _is_looked_at(call, result, kept) or not _is_far(call, result, found):
            return 0.0
    elif kept.is_weight:
        least, absorbed = 2, min(found.absorbed, every.absorbed)
    # weight decay alone is small beside the step
    counts = found.count >= least and not (kept.is_weight and call.op == "mul")
    if counts and _stays_behind(found, every, absorbed, decays=decays):
        return absorbed
    return found.absorbed if _is_left_out(found) else 0.0


def _stays_behind(found: Sum, every: Sum, absorbed: float, *, decays: bool) -> bool:
    """Check whether a tensor stands, limps, or decays and falls short."""
    stands = absorbed > _SHARE and every.lost >= _LOST
    limps = found.count >= _COUNTER and absorbed > _SOME and every.lost >= _MOST_LOST
    return stands or limps or (decays and _falls_short(found))


def _loss(
    call: Call, result: Result, kept: record.Record, found: Sum, absorbed: float
) -> Loss:
    rule, form = _kind(call, kept)
    site, what, also = _whose(call, kept, origin_of(result.tensor))
    param = kept.is_weight or site is not call.site
    return Loss(
        rule=rule,
        form=form,
        site=site,
        says=f"{what} in {call.site.dtype_name} loses its updates: {absorbed:.0%} of the "
        f"requested change in {found.count} updates by `{call.site.op}` had no effect",
        weight=absorbed * min(found.count, 100),
        also=also,
        blamed=met_as("param", result.tensor) if param else None,
    )


def _is_far(call: Call, result: Result, found: Sum) -> bool:
    """Check whether a state in float32 is off for good: what goes to and fro near what it follows may stay there."""
    if _follows(call) and found.steady <= _SHARE:
        return False
    if call.op == "lerp":
        ends = [one.low for one in call.operands if one.name in ("end", "tensors1")]
        return distance(ends[result.index], result.low) > _GAP
    return distance(result.low, result.wide) > _ROUNDINGS * unit(torch.float32)


def _follows(call: Call) -> bool:
    """Check whether the sum is of two that were made of its result before, as `x += rate * (goal - x)`."""
    if call.op not in SUMS or _is_put(call):
        return False
    key = ("carried", call.site)
    records = [one.record for one in call.floats() if one.name != "out"]
    return len({one for one in records if one is not None and key in one.carried}) > 1


def _falls_short(found: Sum) -> bool:
    """Check whether a sum that is passed on with a factor, as in a softmax by parts, ends below its true value."""
    grown = found.from_nothing and found.steady > _SHARE and found.count >= _MANY_PARTS
    short = found.absorbed > _SOME and found.lost > _SHORT
    return grown and (short or found.lost > _LOST)


def _is_left_out(found: Sum) -> bool:
    """Check whether all updates of a line are lost, such as weight decay next to steps, and matter in sum."""
    absorbed = found.count >= _COUNTER and found.absorbed > _MOST_ABSORBED
    return absorbed and found.missing > _GAP


def _once(call: Call, before: torch.Tensor, result: Result) -> Iterator[Loss]:
    exact, found = call.exact(result), Sum()
    if exact is None or not found.add(before, result.low, exact):
        return
    lost = found.absorbed > _SHARE and found.lost > _MOST_LOST
    if lost and found.missing > _TRACE:
        yield call.loss(
            f"an addition in {call.site.dtype_name} is mostly lost: {found.absorbed:.0%} of it is below "
            "half of the spacing of the existing values",
            form="once",
            weight=found.absorbed,
        )


def _kind(call: Call, kept: record.Record) -> tuple[str, str]:
    """Return the rule and its form; weights and optimizer states have rules of their own."""
    if kept.is_weight:
        return "half-parameters-without-master", ""
    if call.site.phase == "optimizer":
        return "state-in-half", ""
    if "batch_norm" in call.op:
        return RULE, "statistics"
    return RULE, "average" if call.op == "lerp" else ""


def _whose(
    call: Call, kept: record.Record, origin: Origin | None
) -> tuple[Site, str, tuple[tuple[str, Site], ...]]:
    """Return the place to report: where a weight got its dtype, a state was created, else the update."""
    if kept.is_weight:
        op = "" if origin is None else origin.op.rpartition(".")[2]
        born = call.site.at(None if origin is None else origin.user, op)
        also = () if born is None else (("updated", call.site),)
        return born or call.site, "a weight", also
    if call.site.phase != "optimizer":
        norm = "batch_norm" in call.op
        return call.site, "a running statistic" if norm else "the updated tensor", ()
    made, what = call.site.made_by(), "the optimizer's state"
    if made is None:
        return call.site, what, ()
    if call.site.is_users:
        # an optimizer of the program's own: what is to be changed stands in its step
        return call.site, what, (("optimizer created", made),)
    return made, what, (("updated", call.site),)
