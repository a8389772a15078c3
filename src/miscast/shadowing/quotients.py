"""Integers divided by `/`: torch makes float32 of them first, and the whole part of the quotient may be another one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from . import record
from .call import replaced, tensors
from .loss import Loss

if TYPE_CHECKING:
    from .beside import Beside

QUOTIENT = "quotient of integers"
"""What made such numbers."""
_CUTS = frozenset({"floor", "trunc", "_to_copy"})


def is_of_integers(run: Beside) -> bool:
    """Whether an op divides integers into numbers that round."""
    given = [*tensors([*run.bound.values()])]
    return (
        run.plan.op == "div"
        and run.bound.get("rounding_mode") is None
        and bool(given)
        and not any(one.is_floating_point() or one.is_complex() for one in given)
    )


def divided(run: Beside) -> list[torch.Tensor]:
    """The quotients in float64, in which integers up to 9e15 are exact."""
    args = replaced(run.args, lambda one: one.double(), run.precision)
    return [run.func(*args)]


def cut(run: Beside) -> None:
    """An op is given quotients, and takes their whole part: tell where that is another one."""
    given = next(tensors(run.args), None)
    if run.plan.op not in _CUTS or given is None or not record.is_plain(given):
        return
    kept = record.find(given)
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
                says=f"`/` makes {kept.culprit.dtype_name} of integers: the whole part of {count:,} of {many:,} "
                "quotients is another one",
                form="quotient",
                weight=count / many,
            )
        )
