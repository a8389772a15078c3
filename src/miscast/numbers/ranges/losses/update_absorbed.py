"""Updates so small that they change nothing: averages, counters and schedules that stand still."""

from __future__ import annotations

from dataclasses import replace

import torch

from ....vm.provenance.record import find as find_record
from ..loss import HALF, PRECISION, Lost, short, spacing, spelled, wider
from ..names import (
    DRAWS,
    GRADIENT,
    PLACES,
    PRODUCTS,
    RATED,
    WEIGHTS,
    additions,
    at_a_place,
)
from ..seen import Seen, in_float64, numbers
from ..spreads.arithmetic import of_both
from ..spreads.products import gain

_TO_SOME = frozenset({
    "scatter_add", "scatter_reduce", "index_put", "addcmul", "addcdiv", "lerp", *PRODUCTS,
})  # fmt: skip
"""Ops that add in place, to some values or several products. float64 shows the amount."""
OPS = frozenset({
    "add", "sub", "mul", "index_add", "batch_norm", "native_batch_norm", *_TO_SOME,
})  # fmt: skip
_OF_TWO = frozenset({"addcmul", "addcdiv"})
_GAINS = {"addcmul": of_both, **dict.fromkeys(PRODUCTS, gain)}
_STATES = frozenset({"mul", "copy", WEIGHTS})
PLAIN = True
WIDENS = True
_TERMS = 1
_STANDS = 3
"""Times in a row that a number must not change in float32. One update of many may well be too small."""
_ARRIVED = 100 * 2.0**-24
"""Share of the way to what a float32 number follows, from which on its steps are lost only within 1 % of that."""


def find(seen: Seen) -> Lost | None:
    """Return a precision loss if an update is below half the distance to the next number."""
    if seen.name in ("batch_norm", "native_batch_norm"):
        return _statistics(seen)
    tensor = seen.tensor("self")
    if tensor is None or tensor.dtype not in PRECISION:
        return None
    for rule in _RULES.get(seen.name, (_step, _moved, _sum)):
        lost = rule(seen, tensor)
        if lost is not None:
            return lost
    return None


def _step(seen: Seen, weight: torch.Tensor) -> Lost | None:
    """Return the precision loss of a descent step on parameters, assuming gradients of size 1 at most."""
    rate, found = _rate(seen), seen.moments("self")
    trained = weight.requires_grad or seen.made_by("self") == WEIGHTS
    if not (seen.in_place or _is_moved(seen)) or not trained:
        return None
    if weight.dtype not in HALF or found is None or not found.rms:
        return None
    if not 0 < rate < spacing(found.rms, weight.dtype) / 2:
        return None
    return _absorbed(weight.dtype, rate, found.rms, "weights")


def _rate(seen: Seen) -> float:
    """Return what a gradient is multiplied by, or the usual size of a quotient; 0 where it is not known."""
    if seen.name == "addcdiv":
        return _amount(seen)
    number, by = seen.number("alpha"), seen.made_by("other")
    rate = abs(1.0 if number is None else number)
    step = seen.tensor("other")
    record = None if step is None else find_record(step)
    if by == RATED and record is not None:
        return rate * record.factor
    return rate if by == GRADIENT or (seen.of_several and number is not None) else 0.0


def _amount(seen: Seen) -> float:
    """Return the typical size of what is added; 0 where it is not known, or nothing is."""
    if not at_a_place(seen):
        return 0.0
    scale = seen.number("value" if seen.name in _OF_TWO else "alpha")
    scale = abs(1.0 if scale is None else scale)
    if seen.name == "addcdiv":
        over, under = seen.moments("tensor1"), seen.moments("tensor2")
        if over is None or under is None or not under.rms:
            return 0.0
        return scale * over.rms / under.rms
    source = _GAINS.get(seen.name)
    named = PLACES.get(seen.name, "other")
    added = seen.moments(named) if source is None else source(seen)
    return 0.0 if added is None else scale * added.rms


def _statistics(seen: Seen) -> Lost | None:
    """Return a precision loss if a running mean moves only a small share of the way with each batch."""
    running, share = seen.tensor("running_mean"), seen.number("momentum")
    training = seen.given.get("training", seen.given.get("train"))
    if running is None or running.dtype not in HALF or not share or not training:
        return None
    return _too_short(share, running.dtype, "running_mean", times=8, form="statistics")


def _average(seen: Seen, average: torch.Tensor) -> Lost | None:
    if average.dtype not in HALF:
        return _to_some(seen, average)
    weight = seen.number("weight")
    if weight is None:
        return None
    return _too_short(min(abs(weight), abs(1 - weight)), average.dtype, "self", times=4)


def _covariance(seen: Seen, average: torch.Tensor) -> Lost | None:
    """Return the average is what beta leaves of it; a beta near 1 leaves all, and alpha adds less than a spacing."""
    dtype, beta = average.dtype, seen.number("beta")
    if dtype not in HALF or seen.dtype is not dtype or beta is None:
        return None
    return _too_short(abs(1 - beta), dtype, "self")


def _too_short(
    share: float,
    dtype: torch.dtype,
    operand: str,
    times: int = 1,
    form: str = "average",
) -> Lost | None:
    """Return a precision loss if `share` of the way to a number `1 / times` of the average off has no effect."""
    least = 2.0 ** -(PRECISION[dtype] + 1)
    if not 0 < share < times * least:
        return None
    step, held = f"a step of {spelled(share)} of the difference is", short(dtype)
    whole = f"{step} below half of {held}'s spacing, {spelled(2 * least)} of the value"
    near = f"{step} lost in {held} once the difference is below {least / share:.0%} of the value"
    return Lost(
        rule="update-absorbed",
        operand=operand,
        form=form,
        figures=whole if share < least else near,
    )


def _decay(seen: Seen, tensor: torch.Tensor) -> Lost | None:
    given, factor, dtype = seen.given.get("other"), seen.number("other"), tensor.dtype
    if tensor.dim() and not (isinstance(given, float) and _counts(seen)):
        return (
            None  # of a large tensor a schedule's number is that of this step, no decay
        )
    if dtype not in HALF or seen.dtype not in (dtype, None) or factor is None:
        return None
    # 2**0.5 * 0.5**0.5 is 1 but for what Python's numbers round: no dtype feels that
    least = 2.0 ** -(PRECISION[torch.float32] + 1)
    if not least < abs(1 - factor) < 2.0 ** -(PRECISION[dtype] + 1):
        return None
    return Lost(
        rule="update-absorbed",
        figures=f"a factor of {factor:.8g} changes no {short(dtype)} number: neighbours are "
        f"{spelled(2.0 ** -(PRECISION[dtype] - 1))} of their value apart",
    )


def _counts(seen: Seen) -> bool:
    """Check whether it matters that a factor changes nothing.

    Of a state, of a mask, of numbers that the program counted out.

    Data and random numbers are rounded as much by any op.
    """
    if seen.in_place or seen.of_several:
        return True
    made_by = seen.made_by("self")
    if made_by in _STATES or isinstance(seen.tensor("self"), torch.nn.Parameter):
        return True
    return made_by not in ("", *DRAWS) and seen.known("self") is not None


def _sum(seen: Seen, total: torch.Tensor) -> Lost | None:
    """Return a precision loss if an addition changes nothing, judged by known numbers or by their typical size."""
    argument = PLACES.get(seen.name, "other")
    other, added, dtype = seen.given.get(argument), seen.moments(argument), total.dtype
    if added is None or not added.rms or seen.dtype is not dtype:
        return None
    if not _goes_on(seen, other) or not _has_weight(seen, dtype, whole=added.whole):
        return None
    old, new = seen.known("self"), seen.known("out")
    if old is None or new is None:
        return _typically(seen, total)
    sure = added.whole or (dtype in HALF and not isinstance(other, float))
    return _unchanged(seen, old, new, added.rms, sure=sure)


def _goes_on(seen: Seen, other: object) -> bool:
    """Check whether it is one sum of many, and neither an eps nor one whose lost part comes with the next term."""
    if not isinstance(other, torch.Tensor):
        whole = not isinstance(other, float) or other.is_integer()
        return _again(seen) or (seen.in_place and whole)
    behind = find_record(other)
    if behind is not None and behind.chain < 0:
        return False
    return seen.in_place or not other.dim() or _again(seen)


def _has_weight(seen: Seen, dtype: torch.dtype, *, whole: bool) -> bool:
    """Check whether a float32 sum is more than an average, which gets less until it takes up the new, or one term."""
    if dtype in HALF or _is_moved(seen):
        return not _is_moved(seen)
    return not 0 < seen.factor_before < 1 and (seen.in_place or whole or _again(seen))


def _to_some(seen: Seen, target: torch.Tensor) -> Lost | None:
    """Return a precision loss if known numbers stay unchanged that would change in float64, or typically would not."""
    old, new = seen.before, seen.known("out")
    if seen.dtype is not target.dtype:
        return None
    if old is None or new is None:
        return _typically(seen, target)
    exact = in_float64(seen, lambda one: old if one is target else numbers(one))
    step = None if exact is None else (exact - old.double()).abs()
    if step is None or not bool(step.any()) or not bool(step.isfinite().all()):
        return None
    sure = target.dtype in HALF or not bool(step.frac().any())
    return _unchanged(seen, old, new, float(step.max()), sure=sure)


def _unchanged(
    seen: Seen, old: torch.Tensor, new: torch.Tensor, step: float, *, sure: bool
) -> Lost | None:
    """Return a precision loss if no number changed; if not `sure`, for fractions, only after several in a row."""
    still = old.shape == new.shape and bool(old.isfinite().all())
    still = still and bool((old == new).all())
    stood = _stood(seen, still=still)
    if not still or not bool(old.any()) or _has_arrived(seen, old.dtype):
        return None
    if stood < _STANDS and not (sure and (seen.in_place or not old.dim())):
        return None
    return _stands_still(seen, old.dtype, step, float(old.abs().max()))


def _has_arrived(seen: Seen, dtype: torch.dtype) -> bool:
    """Check whether a float32 number is near what it follows: its steps end, or are `x += 0.1 * (goal - x)`."""
    step = seen.tensor("other")
    record = None if step is None else find_record(step)
    if dtype in HALF or not (seen.name == "lerp" or record in seen.undone):
        return "other" in seen.settled
    by = seen.number("weight" if seen.name == "lerp" else "alpha")
    of_step = (record.factor if record is not None else 0.0) or 1.0
    return abs(1.0 if by is None else by) * of_step >= _ARRIVED


def _stands_still(seen: Seen, dtype: torch.dtype, step: float, size: float) -> Lost:
    """Return the precision loss; a total has another rule than an updated value."""
    lost = _absorbed(dtype, step, size)
    if not _is_total(seen, step, size):
        return lost
    form = "total" if dtype in HALF else "float32 total"
    return replace(lost, rule="sum-stalls", form=form)


def _is_total(seen: Seen, step: float, size: float) -> bool:
    """Check whether most of what it holds was added here: `total = total + 1`, or `total += 1` from 0 on."""
    tensor = seen.tensor("self")
    record = None if tensor is None else find_record(tensor)
    if not seen.in_place or record is None:
        return True
    return record.made_by != WEIGHTS and 2 * additions(tensor) * step >= size


def _stood(seen: Seen, *, still: bool) -> int:
    """Return how many updates in a row have changed nothing, with this one."""
    before, now = find_record(seen.given["self"]), find_record(seen.out)
    if before is None or now is None:
        return 0
    now.stood = before.stood + 1 if still else 0
    return now.stood


def _is_moved(seen: Seen) -> bool:
    """Check whether new weights are made of trained ones and a step."""
    weights, step = seen.tensor("self"), seen.tensor("other")
    if seen.in_place or weights is None or step is None or torch.is_grad_enabled():
        return False
    are = isinstance(weights, torch.nn.Parameter) or seen.made_by("self") == WEIGHTS
    return are and weights.shape == step.shape and weights.dtype is step.dtype


def _again(seen: Seen) -> bool:
    """Check whether the tensor has only been added to so far: a clock, a total."""
    return additions(seen.tensor("self")) > _TERMS


def _moved(seen: Seen, weights: torch.Tensor) -> Lost | None:
    return _typically(seen, weights) if _is_moved(seen) else None


def _typically(seen: Seen, tensor: torch.Tensor) -> Lost | None:
    x, step, dtype = seen.moments("self"), _amount(seen), tensor.dtype
    if x is None or dtype not in HALF:
        return None
    if not seen.in_place and not _is_moved(seen):
        return None
    if not 0 < step < x.rms * 2.0 ** -(PRECISION[dtype] + 1):
        return None
    return _absorbed(dtype, step, x.rms, "weights" if _is_moved(seen) else "")


def _absorbed(dtype: torch.dtype, step: float, size: float, form: str = "") -> Lost:
    return Lost(
        rule="update-absorbed",
        wanted=wider(dtype),
        form=form,
        figures=f"adding {spelled(step)} to {spelled(size)} in {short(dtype)} has no effect",
    )


_RULES = {
    **dict.fromkeys(_TO_SOME, (_to_some,)),
    **dict.fromkeys(PRODUCTS, (_covariance, _to_some)),
    "addcdiv": (_step, _to_some),
    "lerp": (_average,),
    "mul": (_decay,),
}
