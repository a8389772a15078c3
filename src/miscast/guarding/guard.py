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
    """Check the loss and gradients of a training run before each optimizer step, and locate the op that made a NaN.

    Until a step fails a check, the training run stays the same, bit for bit. Then the step is run again to find the op.

    Args:
        model: The model, or several.
        optimizer: The optimizer, or several.
        on_trip: What happens on an alarm: "raise" raises TrippedError before the update, "skip" skips the step,
            "report" prints to stderr and continues. Or a function of the Trip that returns one of these. Alarms that
            may be harmless, such as an exploding norm, are only ever reported, unless a function decides otherwise.
        max_skips: The most steps that are skipped in all.
        budget: The share of the run time that the guard may take. 1 checks everything in each step.
        log: A file that gets a line for each step.
        keep: How many of the last lines `Guard.last` holds.
        wait: Whether to wait for values from the GPU before an update. Otherwise they are read a step late, when the
            step can be neither repeated nor skipped. By default, only if steps may be skipped.

    Returns:
        The guard: `trips` are the alarms so far, `last` the last lines, `remove()` ends it.
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
    """Return one or several objects as a list. Raises TypeError if one is of another kind."""
    found = list(given) if isinstance(given, (list, tuple, set)) else [given]
    wrong = [one for one in found if not isinstance(one, kind)]
    if wrong or not found:
        raise TypeError(
            f"guard(model, optimizer): {(wrong or [given])[0]!r:.80} is not a {name}"
        )
    return found
