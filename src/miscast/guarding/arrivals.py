"""Figures of steps on their way from a device: read in order, as soon as they are there; and whether all are finite."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from operator import itemgetter

import torch

from . import gradients
from .figures import Figures
from .finite import is_finite, norm_in_double
from .reading import Reading


@dataclass(slots=True, kw_only=True, eq=False)
class Arriving:
    """A step whose figures are on their way."""

    figures: Figures
    reading: Reading
    optimizer: torch.optim.Optimizer
    losses: int
    norm: bool
    scale: bool
    clipped: bool
    """True if gradients have changed since the backward pass."""
    late: bool = False


def arrived(waiting: list[Arriving]) -> Iterator[Arriving]:
    """Yield the steps whose figures have arrived, in order, and take them off the list."""
    while waiting:
        values = waiting[0].reading.values()
        if values is None:
            waiting[0].late = True
            return
        one = waiting.pop(0)
        if one.losses:
            add = math.fsum if all(map(math.isfinite, values)) else sum
            one.figures.loss = add(values[: one.losses])
        rest = values[one.losses :]
        one.figures.norm = rest.pop(0) if one.norm else None
        one.figures.scale = rest.pop(0) if one.scale else None
        yield one


def not_finite(one: Arriving, names: dict[int, str]) -> str:
    """Return in a sentence what is not finite; "" if all is, or if a scaler skipped the step to find its scale."""
    figures = one.figures
    if figures.skipped:
        return ""
    if figures.loss is not None and not math.isfinite(figures.loss):
        return f"the loss is {figures.loss}"
    if figures.norm is None or math.isfinite(figures.norm):
        return ""
    if one.late:
        return _weights_of(one.optimizer, names)
    found = list(gradients.named(one.optimizer, names))
    bad = [name for name, one in found if not is_finite(one)]
    if not bad:
        figures.norm = norm_in_double([*map(itemgetter(1), found)])
        return ""
    if figures.of == "clip":
        return f"the gradient norm is {figures.norm}, and clipping has spread it to {len(bad)} gradients"
    more = f" and {len(bad) - 1} more" if len(bad) > 1 else ""
    return f"the gradient of {bad[0]}{more} is not finite"


def _weights_of(optimizer: torch.optim.Optimizer, names: dict[int, str]) -> str:
    """Return a norm of the past can have overflowed on finite gradients: the weights that it moved say whether."""
    for group in optimizer.param_groups:
        for number, p in enumerate(group["params"]):
            if not is_finite(p.detach()):
                return f"the weights of {names.get(id(p), f'parameter {number}')} are no longer finite"
    return ""
