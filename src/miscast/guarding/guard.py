"""Watches a training from before each update of its weights, and names what made the first NaN.

    guard = miscast.guard(model, optimizer, log="flight.jsonl")
    for x, y in loader:
        optimizer.zero_grad()
        loss = criterion(model(x), y)
        loss.backward()
        optimizer.step()            # here it looks

It takes the loss from `backward()`, the norm from `clip_grad_norm_`, what is finite from `GradScaler`; what nobody has
computed it computes as often as its budget allows.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeVar

from .actions import Actions, OnTrip
from .log import Log

T = TypeVar("T")
if TYPE_CHECKING:
    import torch

    from .watch import Guard

    Models = torch.nn.Module | Iterable[torch.nn.Module]
    Optimizers = torch.optim.Optimizer | Iterable[torch.optim.Optimizer]


def guard(  # noqa: PLR0913 - each is a choice of its own
    model: Models,
    optimizer: Optimizers,
    *,
    on_trip: OnTrip = "raise",
    max_skips: int = 10,
    budget: float = 0.01,
    log: str | os.PathLike[str] | None = None,
    keep: int = 100,
    wait: bool | None = None,
) -> Guard:
    """Watch a training. It goes on as it would, bit for bit, until a step is not as it should be.

    `on_trip`: "raise" TrippedError before the update, "skip" the step (at most `max_skips` in all), "report" on stderr
    and go on, or a function of the Trip that returns one of these. What is a judgement, as a norm that explodes, is
    only ever reported, unless a function says otherwise. `budget`: the share of the time that it may take; with 1 it
    looks at everything in each step. `log`: a file that gets a line for each step; the last `keep` lines are in
    `guard.last`. `wait`: whether to wait for a GPU's figures before an update; else they are read a step late, when
    the step cannot be run again or left out. By default only where steps may be skipped.
    """
    import torch

    from .budget import Budget
    from .watch import Guard

    models = _all(model, torch.nn.Module, "torch.nn.Module")
    optimizers = _all(optimizer, torch.optim.Optimizer, "torch.optim.Optimizer")
    if not 0 < budget <= 1:
        raise ValueError(
            f"budget={budget}: must be a share of the time, above 0 and at most 1 (0.01 is 1 %)"
        )
    lines = Log(os.fspath(log) if log is not None else None, keep)
    actions = Actions(on_trip, max_skips, lines)
    waits = wait if wait is not None else on_trip == "skip" or callable(on_trip)
    return Guard(models, optimizers, actions, lines, Budget(budget), wait=waits)


def _all(given: Any, kind: type[T], name: str) -> list[T]:
    """One or several, as a list. Raises TypeError for what is none."""
    found = list(given) if isinstance(given, (list, tuple, set)) else [given]
    wrong = [one for one in found if not isinstance(one, kind)]
    if wrong or not found:
        raise TypeError(
            f"guard(model, optimizer): {(wrong or [given])[0]!r:.80} is not a {name}"
        )
    return found
