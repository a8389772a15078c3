"""Updates so small that they change nothing: averages, counters and schedules that stand still."""

from __future__ import annotations

from dataclasses import replace

import torch

from ....vm.provenance.record import find as find_record
from ..loss import HALF, PRECISION, Lost, short, spacing, spelled
from ..names import DRAWS, GRADIENT, PRODUCTS, RATED, WEIGHTS, additions
from ..seen import Seen, in_float64, numbers

_TO_SOME = frozenset({
    "scatter_add", "scatter_reduce", "index_put", "addcmul", "addcdiv", "lerp", *PRODUCTS,
})  # fmt: skip
"""Ops that add in place, to some values or several products. float64 shows the amount."""
OPS = frozenset({
    "add", "sub", "mul", "index_add", "batch_norm", "native_batch_norm", *_TO_SOME,
})  # fmt: skip
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
    if seen.name == "lerp" and tensor.dtype in HALF:
        return _average(seen, tensor.dtype)
    if seen.name in _TO_SOME:
        share = _covariance(seen, tensor.dtype) if seen.name in PRODUCTS else None
        step = _step(seen, tensor) if seen.name == "addcdiv" else None
        return share or step or _to_some(seen, tensor.dtype)
    if seen.name == "mul":
        return _decay(seen, tensor.dtype)
    return _step(seen, tensor) or _sum(seen, tensor.dtype)


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
    number = seen.number("value" if seen.name == "addcdiv" else "alpha")
    rate = abs(1.0 if number is None else number)
    if seen.name == "addcdiv":
        over, under = seen.moments("tensor1"), seen.moments("tensor2")
        if over is None or under is None or not under.rms:
            return 0.0
        return rate * over.rms / under.rms
    by, step = seen.made_by("other"), seen.tensor("other")
    record = None if step is None else find_record(step)
    if by == RATED and record is not None:
        return rate * record.factor
    return rate if by == GRADIENT or (seen.of_several and number is not None) else 0.0


def _statistics(seen: Seen) -> Lost | None:
    """Return a precision loss if a running mean moves only a small share of the way with each batch."""
    running, share = seen.tensor("running_mean"), seen.number("momentum")
    training = seen.given.get("training", seen.given.get("train"))
    if running is None or running.dtype not in HALF or not share or not training:
        return None
    return _too_short(share, running.dtype, "running_mean", times=8, form="statistics")


def _average(seen: Seen, dtype: torch.dtype) -> Lost | None:
    weight = seen.number("weight")
    if weight is None:
        return None
    share = min(abs(weight), abs(1 - weight))
    return _too_short(share, dtype, "self", times=4)


def _covariance(seen: Seen, dtype: torch.dtype) -> Lost | None:
    """Return the average is what beta leaves of it; a beta near 1 leaves all, and alpha adds less than a spacing."""
    beta = seen.number("beta")
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


def _decay(seen: Seen, dtype: torch.dtype) -> Lost | None:
    given, factor = seen.given.get("other"), seen.number("other")
    tensor = seen.tensor("self")
    scalar = tensor is not None and not tensor.dim()
    if not scalar and not (isinstance(given, float) and _counts(seen)):
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


def _sum(seen: Seen, dtype: torch.dtype) -> Lost | None:
    """Return a precision loss if an addition changes nothing, judged by known numbers or by their typical size."""
    if _is_moved(seen):
        return _typically(seen, dtype)
    argument = "source" if seen.name == "index_add" else "other"
    other = seen.given.get(argument)
    behind = find_record(other) if isinstance(other, torch.Tensor) else None
    if behind is not None and behind.chain < 0:
        return None  # what does not arrive comes again with the next term
    one = isinstance(other, torch.Tensor) and not other.dim()
    if not (seen.in_place or one or _again(seen)):
        return None
    old, new, added = seen.known("self"), seen.known("out"), seen.moments(argument)
    if dtype not in HALF and 0 < seen.factor_before < 1:
        return None  # an average: what it holds becomes less until it takes up the new
    is_part = isinstance(other, (int, float)) and not float(other).is_integer()
    if is_part and not _again(seen):
        return None  # an eps that is added in place
    if added is None or not added.rms or seen.dtype is not dtype:
        return None
    if old is None or new is None:
        return _typically(seen, dtype)
    if dtype not in HALF and not (seen.in_place or added.whole or _again(seen)):
        return None  # one of several terms of a sum, which happens to be small
    sure = added.whole or (dtype in HALF and not is_part)
    return _unchanged(seen, old, new, added.rms, sure=sure)


def _to_some(seen: Seen, dtype: torch.dtype) -> Lost | None:
    """Return a precision loss if known numbers stay unchanged that would change in float64."""
    old, new, target = seen.before, seen.known("out"), seen.given["self"]
    if old is None or new is None or seen.dtype is not dtype:
        return None
    exact = in_float64(seen, lambda one: old if one is target else numbers(one))
    step = None if exact is None else (exact - old.double()).abs()
    if step is None or not bool(step.any()) or not bool(step.isfinite().all()):
        return None
    sure = dtype in HALF or not bool(step.frac().any())
    return _unchanged(seen, old, new, float(step.max()), sure=sure)


def _unchanged(
    seen: Seen, old: torch.Tensor, new: torch.Tensor, step: float, *, sure: bool
) -> Lost | None:
    """Return a precision loss if no number changed; if not `sure`, for fractions, only after several in a row."""
    still = (
        old.shape == new.shape
        and bool(old.isfinite().all())
        and bool((old == new).all())
    )
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


def _typically(seen: Seen, dtype: torch.dtype) -> Lost | None:
    x, y = seen.moments("self"), seen.moments("other")
    alpha = seen.number("alpha")
    if x is None or y is None or dtype not in HALF:
        return None
    if not seen.in_place and not _is_moved(seen):
        return None
    step = y.rms * abs(1.0 if alpha is None else alpha)
    if not 0 < step < x.rms * 2.0 ** -(PRECISION[dtype] + 1):
        return None
    return _absorbed(dtype, step, x.rms, "weights" if _is_moved(seen) else "")


def _absorbed(dtype: torch.dtype, step: float, size: float, form: str = "") -> Lost:
    return Lost(
        rule="update-absorbed",
        wanted="float32" if dtype in HALF else "float64",
        form=form,
        figures=f"adding {spelled(step)} to {spelled(size)} in {short(dtype)} has no effect",
    )
