"""Numbers far from 0 and close to each other, instants say, and phases, `t % period`, that are taken of rounded ones.

`torch.tensor` rounds such data to float32 in C++, where no op is seen.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, Any

import torch

from ...running.torch_abi import jit_builtins
from ..ranges.history import are_far
from . import record
from .loss import Loss
from .numbers import distance
from .origins import CAST, met_as

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .beside import Beside
    from .mode import Shadow

OP = "tensor"
_TURNS = frozenset({"remainder", "fmod", "frac"})
_PART, _SHARE = 0.05, 0.01
"""What a phase is off by, as a part of the period, and how many must be."""


@contextmanager
def watched(shadow: Shadow) -> Iterator[None]:
    """Keep within the block, beside such a tensor, the numbers that it was made of."""
    plain = torch.tensor

    @wraps(plain)
    def tensor(data: Any, *args: Any, **kwargs: Any) -> torch.Tensor:
        made = plain(data, *args, **kwargs)
        given = (
            not isinstance(data, torch.Tensor) and made.dim() and record.is_plain(made)
        )
        if given and made.dtype is torch.float32:
            with shadow.resting(), torch.no_grad():
                _note(
                    shadow, made, plain(data, dtype=torch.float64, device=made.device)
                )
        return made

    symbol = jit_builtins._find_builtin(plain)
    if symbol is not None:
        jit_builtins._register_builtin(tensor, symbol)
    torch.tensor = tensor
    try:
        yield
    finally:
        torch.tensor = plain


def _note(shadow: Shadow, made: torch.Tensor, exact: torch.Tensor) -> None:
    error = distance(shadow.precision.widened(made), exact)
    kept = (
        record.keep(made, exact, shadow.precision, shadow.room)
        if error and are_far(exact)
        else None
    )
    if kept is not None:
        frame = sys._getframe(2)
        site = shadow.watch.site(frame, OP, made.dtype, lambda: (met_as("out", made),))
        kept.error, kept.made_by, kept.culprit, kept.source = error, CAST, site, site


def watched_phases(run: Beside) -> None:
    """Report numbers that are off by a part of the period which is taken off them, as instants in float32 are."""
    given, period = run.bound.get("self"), run.bound.get("other", 1.0)
    kept = record.find(given) if record.is_plain(given) else None  # type: ignore[arg-type]
    culprit = None if kept is None else kept.source or kept.culprit
    if run.plan.op not in _TURNS or kept is None or culprit is None:
        return
    if kept.wide is None or kept.whole or kept.is_drawn or culprit.rounds_data:
        return
    off = (given.double() - record.shadow(given, run.precision)).abs() / abs(period)
    share = float((off > _PART).double().mean())
    if share > _SHARE and bool(torch.isfinite(off).all()):
        says = (
            f"`{culprit.op}` in {culprit.dtype_name} makes phases wrong by up to {float(off.max()):.0%} of the period "
            f"({share:.0%} of them by more than {_PART:.0%}) before `{run.plan.op}`"
        )
        also = (("its period", run.site(given.dtype)),)
        run.shadow.losses.add(Loss(
            rule="angle-rounds", form="phase", site=culprit, says=says, weight=share, also=also,
        ))  # fmt: skip
