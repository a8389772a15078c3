"""Integers that were floats before: quotients by `/`, which torch makes of them first, ids, and steps of a schedule.

The whole part of a quotient may be another one; of ids above 2^24 some are the same number; `linspace(999, 0, 500)` in
bfloat16 has the same step several times. Phases, `t % period`, are what is left: of instants far from 0, rounding.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from ..ranges.loss import HALF
from ..ranges.whole import just_below
from . import record
from .call import replaced, tensors
from .numbers import is_whole, unit, whole_until

if TYPE_CHECKING:
    from .beside import Beside
    from .site import Site

QUOTIENT = "quotient of integers"
"""The `made_by` of quotients."""
_ENDS, _SEVERAL = 2.0**62, 8
"""Larger values mean no end. A few numbers are only bounds."""
_ROUNDS = frozenset({"floor", "trunc", "round", "ceil"})
_COUNTS, _SHARE = frozenset({torch.int32, torch.int64}), 0.05
"""Dtypes of indices, and which part of them must be wrong."""
_COUNTED = frozenset({"linspace", "arange"})
_TURNS = frozenset({"remainder", "fmod", "frac"})
_PART = 0.05
"""What a phase is off by, as a part of the period."""
_MOVES = _COUNTED | {
    "_to_copy", "copy", "clone", "index", "index_select", "gather", "cat", "stack", "flip",
}  # fmt: skip


def is_of_integers(run: Beside) -> bool:
    """Check whether an op divides integers into numbers that round."""
    given = [*tensors([*run.bound.values()])]
    return (
        run.plan.op == "div"
        and run.bound.get("rounding_mode") is None
        and bool(given)
        and not any(one.is_floating_point() or one.is_complex() for one in given)
    )


def divided(run: Beside) -> list[torch.Tensor]:
    """Return the quotients in float64, in which integers up to 9e15 are exact."""
    args = replaced(run.args, lambda one: one.double(), run.precision)
    return [run.func(*args)]


def cut(run: Beside) -> None:
    """Report numbers whose whole part an op takes, if that of the exact number is another, and phases."""
    _phases(run)
    if run.plan.op not in _ROUNDS | {"_to_copy"}:
        return
    given, out = next(tensors(run.args), None), next(tensors(run.real), None)
    if given is None or out is None or not record.is_plain(given):
        return
    casts, kept = run.plan.op == "_to_copy", record.find(given)
    if casts:
        _read_as_ids(run, kept, given, out)
        _look_below(run, kept, given, out)
    if kept is None or out.is_complex() or (casts and out.is_floating_point()):
        return
    if not _of_quotient(run, kept, given):
        _of_rounded(run, kept, given, out)


def _look_below(
    run: Beside, kept: record.Record | None, given: torch.Tensor, out: torch.Tensor
) -> None:
    """Report numbers that are whole but for their rounding, and that a cast takes to the one before."""
    if not given.is_floating_point() or out.dtype not in _COUNTS:
        return
    below = just_below(given)
    if below > 1 and (kept is None or kept.made_by != QUOTIENT):
        first = given[given.trunc() != given.round()][0].item()
        says = f"{below:,} of {given.numel():,} numbers are just below a whole one, by a rounding: {first:.17g} "
        says += f"becomes {int(first)}"
        site = run.site(given.dtype)
        run.lose("fraction-cut-off", site, says, form="below", weight=below)


def _of_quotient(run: Beside, kept: record.Record, given: torch.Tensor) -> bool:
    """Report quotients of integers whose whole part is another one; False if these are none."""
    if kept.made_by != QUOTIENT or kept.wide is None or kept.culprit is None:
        return False
    wrong = record.shadow(given, run.precision).trunc() != given.double().trunc()
    count, many = int(wrong.sum()), wrong.numel()
    if count:
        run.lose(
            "integer-rounds",
            kept.culprit,
            f"`/` converts integers to {kept.culprit.dtype_name}: the integer part of {count:,} of {many:,} "
            "quotients is wrong",
            form="quotient",
            weight=count / many,
        )
    return True


def _of_rounded(
    run: Beside, kept: record.Record, given: torch.Tensor, out: torch.Tensor
) -> None:
    """Report indices that come from numbers which a cast, or a half dtype that counted, has rounded."""
    right, culprit = kept.should_be or (None, None)
    if kept.wide is not None and kept.culprit is not None and _is_rounded_once(kept):
        culprit, right = kept.culprit, _cut(run, record.shadow(given), kept.culprit)
        if right is not None and run.plan.op in _ROUNDS:
            record.made(out).should_be = right, culprit
    if right is None or culprit is None or right.shape != out.shape:
        return
    wrong = right.isfinite() & (right != out) & (out.dtype in _COUNTS)
    share = float(wrong.double().mean())
    if share > _SHARE:
        run.lose(
            "integer-rounds",
            culprit,
            f"{share:.0%} of {out.numel():,} indices are others: `{culprit.op}` in {culprit.dtype_name} makes "
            f"{out[wrong][0].item():,} of {int(right[wrong][0]):,}",
            weight=share,
            also=(("converted", run.site(given.dtype)),),
        )


def _cut(run: Beside, right: torch.Tensor, culprit: Site) -> torch.Tensor | None:
    """Return the indices that the op would give of the exact numbers, None where they are none."""
    if run.plan.op in _ROUNDS and not run.written:
        return run.func(right)  # type: ignore[no-any-return]
    if culprit.op in _COUNTED and culprit.dtype in HALF:
        return right.trunc()
    return right if is_whole(right) else None


def _is_rounded_once(kept: record.Record) -> bool:
    """Check whether numbers are off by one rounding, where they were cast or counted, and are no data drawn."""
    culprit = kept.culprit
    if culprit is None or kept.is_drawn or kept.made_by not in _MOVES:
        return False
    return culprit.op in _COUNTED | {"to", "copy"} and kept.error <= unit(culprit.dtype)


def _read_as_ids(
    run: Beside, kept: record.Record | None, given: torch.Tensor, out: torch.Tensor
) -> None:
    """Report float32 inputs that become integers, if they are too large for float32 to hold each one."""
    until = whole_until(torch.float32)
    if kept is not None and (kept.made_by or kept.wide is not None):
        return
    if given.dtype != torch.float32 or out.dtype not in (torch.int32, torch.int64):
        return
    large = out[(given > until) & (given < _ENDS)]
    if large.numel() >= _SEVERAL and large.unique().numel() > 1:
        site = run.site(given.dtype)
        run.lose(
            "integer-rounds",
            site,
            f"whole numbers up to {int(large.max()):,} come from float32, which is exact only up to "
            f"{until:,.0f}: {large.numel():,} of them have {large.unique().numel():,} distinct values",
            weight=large.numel() / out.numel(),
        )


def _phases(run: Beside) -> None:
    """Report numbers that are off by a part of the period which is taken off them, as instants in float32 are."""
    given, period = run.bound.get("self"), run.bound.get("other", 1.0)
    if run.plan.op not in _TURNS or given is None or not record.is_plain(given):
        return
    kept = record.find(given)
    if kept is None or kept.is_drawn:
        return
    culprit = kept.source or kept.culprit
    if kept.wide is None or culprit is None or culprit.rounds_data:
        return
    exact = record.shadow(given, run.precision)
    if kept.whole and exact.dtype != torch.int64:
        return
    off = (given.to(exact.dtype) - exact).abs() / abs(period)
    share = float((off > _PART).double().mean())
    if share > _SHARE and bool(torch.isfinite(off).all()):
        says = (
            f"`{culprit.op}` in {culprit.dtype_name} makes phases wrong by up to {float(off.max()):.0%} of the period "
            f"({share:.0%} of them by more than {_PART:.0%}) before `{run.plan.op}`"
        )
        also = (("its period", run.site(given.dtype)),)
        run.lose("angle-rounds", culprit, says, form="phase", weight=share, also=also)
