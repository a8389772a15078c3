"""Updates are too small to change the numbers that they are added to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch

from ....vm.provenance.origin import Origin
from .. import record
from ..beside import PRODUCTS
from ..call import Call, Operand, Result
from ..carried import hand_on, put_back, returned
from ..loss import Loss
from ..numbers import HALVES, distance, unit
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
    if call.op not in SUMS or not call.site.is_formula or not call.operands:
        return
    bases = [one for one in call.operands if one.name == "self"]
    changes = [one for one in call.operands if one.name in ("other", *_FACTORS)]
    for base, result in zip(bases, call.results, strict=False):
        before = base.low if result.before is None else result.before
        if not _is_put_in(call, base, result, changes[result.index :]):
            continue
        exact, found = call.exact(result), Sum()
        if exact is None or not found.add(before, result.low, exact):
            continue
        if (
            found.absorbed > _SHARE
            and found.lost > _MOST_LOST
            and found.missing > _TRACE
        ):
            yield _once(call, found)


def _is_put_in(
    call: Call, base: Operand, result: Result, changes: Sequence[Operand]
) -> bool:
    """Check whether a change of weights for good, as an adapter that is merged, is what an op does."""
    shape = result.low.shape
    if (
        result.tensor.dtype not in HALVES
        or base.low.shape != shape
        or base.low.numel() < _MANY
    ):
        return False
    if call.op in _TERMS and not (changes and changes[0].low.shape == shape):
        return False
    known = record.find(result.tensor)
    if known is not None and any(
        key[0] is call.site for key in known.sums if isinstance(key, tuple)
    ):
        return False
    if isinstance(base.tensor, torch.nn.Parameter):
        return True
    made_by = {one.record.made_by for one in changes[:1] if one.record is not None}
    return call.site.phase == "program" and (
        call.op in PRODUCTS or bool(made_by & {"_to_copy", *PRODUCTS})
    )


def _sums(call: Call, result: Result) -> tuple[Sum, Sum] | None:
    """Return the requested and actual change of this line, and of all lines that update the tensor."""
    before, kept = result.before, record.made(result.tensor)
    if before is None or not _is_looked_at(call, result, kept):
        return None
    exact = put_back(call, result)
    if exact is None and call.op in OPS and not _is_put(call):
        exact = call.exact(result)
    if exact is None:
        return None
    part = part_of(result.tensor)
    if (call.site, *part) not in kept.sums and len(kept.sums) > _MANY:
        return None
    numbers = [spread(one, result.tensor) for one in (before, result.low, exact)]
    found = []
    for key in ((call.site, *part), (_ALL, *part)):
        known = kept.sums.setdefault(key, Sum())
        if not known.add(*numbers):
            kept.sums[key] = Sum()
        found.append(known)
    here, everywhere = found
    return here, everywhere


def _is_looked_at(call: Call, result: Result, kept: record.Record) -> bool:
    """Check whether a change may be reported: in float32, not of weights and not of sums by torch itself."""
    if result.tensor.dtype in HALVES:
        return True
    return (
        result.tensor.dtype == torch.float32 and not kept.is_weight and call.site.is_own
    )


def _is_put(call: Call) -> bool:
    """Check whether numbers are put into a tensor, and not added to it."""
    return call.op in ("index_put", "put") and not call.bound.get("accumulate")


def _is_chain(call: Call) -> bool:
    """Check whether an operand is this line's last result, unchanged: a plain sum, which another rule checks."""
    key = ("chain", call.site)
    return any(
        one.record is not None and key in one.record.sums for one in call.floats()
    )


def _told(
    call: Call, result: Result, found: Sum, every: Sum, *, decays: bool = False
) -> Iterator[Loss]:
    kept = record.made(result.tensor)
    is_sum = call.op in SUMS and not decays
    if is_sum and found.from_nothing and not kept.is_weight:
        return
    least = 2 if kept.is_weight else _STATE
    if result.tensor.dtype == torch.float32:
        if not _is_looked_at(call, result, kept) or not _is_far(call, result, found):
            return
        least = _COUNTER
    absorbed = min(found.absorbed, every.absorbed) if kept.is_weight else found.absorbed
    stands = absorbed > _SHARE and every.lost >= _LOST
    limps = found.count >= _COUNTER and absorbed > _SOME and every.lost >= _MOST_LOST
    arrives = not (stands or limps or (decays and _falls_short(found)))
    # weight decay alone is small beside the step
    if found.count < least or arrives or (kept.is_weight and call.op == "mul"):
        if not _is_left_out(found):
            return
        absorbed = found.absorbed
    rule, form = _kind(call, kept)
    site, what, also = _whose(call, kept, origin_of(result.tensor))
    param = kept.is_weight or site is not call.site
    yield Loss(
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
    key = ("carried", call.site)
    records = [one.record for one in call.floats() if one.name != "out"]
    made_of_it = {one for one in records if one is not None and key in one.carried}
    follows = call.op in SUMS and not _is_put(call) and len(made_of_it) > 1
    if follows and found.steady <= _SHARE:
        return False
    if call.op == "lerp":
        ends = [one.low for one in call.operands if one.name in ("end", "tensors1")]
        return distance(ends[result.index], result.low) > _GAP
    return distance(result.low, result.wide) > _ROUNDINGS * unit(torch.float32)


def _falls_short(found: Sum) -> bool:
    """Check whether a sum that is passed on with a factor, as in a softmax by parts, ends below its true value."""
    grown = found.from_nothing and found.steady > _SHARE and found.count >= _MANY_PARTS
    return grown and found.absorbed > _SOME and found.lost > _SHORT


def _is_left_out(found: Sum) -> bool:
    """Check whether all updates of a line are lost, such as weight decay next to steps, and matter in sum."""
    return (
        found.count >= _COUNTER
        and found.absorbed > _MOST_ABSORBED
        and found.missing > _GAP
    )


def _once(call: Call, found: Sum) -> Loss:
    return call.loss(
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
    if call.site.phase == "optimizer":
        made = call.site.made_by()
        if made is not None and call.site.is_users:
            # an optimizer of the program's own: what is to be changed stands in its step
            return (
                call.site,
                "the optimizer's state",
                (("optimizer created", made),),
            )
        if made is not None:
            return made, "the optimizer's state", (("updated", call.site),)
        return call.site, "the optimizer's state", ()
    what = "a running statistic" if "batch_norm" in call.op else "the updated tensor"
    return call.site, what, ()
