"""Integers that were float32 before: quotients by `/`, which torch makes of them first, and ids that were read so.

The whole part of a quotient may be another one; of ids above 2^24 some are the same number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from . import record
from .call import replaced, tensors
from .loss import Loss
from .numbers import whole_until

if TYPE_CHECKING:
    from .beside import Beside

QUOTIENT = "quotient of integers"
"""The `made_by` of quotients."""
_ENDS, _SEVERAL = 2.0**62, 8
"""Larger values mean no end. A few numbers are only bounds."""
_CUTS = frozenset({"floor", "trunc", "_to_copy"})


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
    """Report quotients whose whole part an op takes, if the exact quotient's is another."""
    given = next(tensors(run.args), None)
    if run.plan.op not in _CUTS or given is None or not record.is_plain(given):
        return
    kept = record.find(given)
    if run.plan.op == "_to_copy" and not (
        kept and (kept.made_by or kept.wide is not None)
    ):
        _read_as_ids(run, given)
    if kept is None or kept.wide is None or kept.culprit is None:
        return
    out = next(tensors(run.real), None)
    if kept.made_by != QUOTIENT or out is None:
        return
    if run.plan.op == "_to_copy" and (out.is_floating_point() or out.is_complex()):
        return
    wide = record.shadow(given, run.precision)
    wrong = wide.trunc() != given.double().trunc()
    if bool(wrong.any()):
        count, many = int(wrong.sum()), wrong.numel()
        run.shadow.losses.add(
            Loss(
                rule="integer-rounds",
                site=kept.culprit,
                says=f"`/` converts integers to {kept.culprit.dtype_name}: the integer part of {count:,} of {many:,} "
                "quotients is wrong",
                form="quotient",
                weight=count / many,
            )
        )


def _read_as_ids(run: Beside, given: torch.Tensor) -> None:
    """Report float32 inputs that become integers, if they are too large for float32 to hold each one."""
    out, until = next(tensors(run.real)), whole_until(torch.float32)
    if given.dtype != torch.float32 or out.dtype not in (torch.int32, torch.int64):
        return
    large = out[(given > until) & (given < _ENDS)]
    if large.numel() >= _SEVERAL and large.unique().numel() > 1:
        site = run.site(given.dtype)
        run.shadow.losses.add(
            Loss(
                rule="integer-rounds",
                site=site,
                says=f"whole numbers up to {int(large.max()):,} come from float32, which is exact only up to "
                f"{until:,.0f}: "
                f"{large.numel():,} of them have {large.unique().numel():,} distinct values",
                weight=large.numel() / out.numel(),
            )
        )
