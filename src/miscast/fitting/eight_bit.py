"""Optimizers with states of eight bits: the classes of torchao and bitsandbytes, where they are installed."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import Any

from torch.optim import Optimizer

from .stepping import Step, follow

_CHANGED = ("amsgrad", "maximize")
"""Options that make it another optimizer."""


def eight_bit(library: str) -> Callable[[Optimizer], Step]:
    """Return a function that replaces an Adam or AdamW by that of `library`, over the same parameters and groups."""

    def make(optimizer: Optimizer) -> Step:
        kind = getattr(
            importlib.import_module(f"{library}.optim"),
            f"{type(optimizer).__name__}8bit",
        )
        known = inspect.signature(kind).parameters
        for group in optimizer.param_groups:
            if odd := [name for name in _CHANGED if group.get(name)]:
                raise TypeError(
                    f"{kind.__name__} of {library} does not support {odd[0]}"
                )
        groups: list[dict[str, Any]] = [
            {key: group[key] for key in group if key in known or key == "params"}
            for group in optimizer.param_groups
        ]
        own = kind(groups)

        def step() -> None:
            follow(own, optimizer)
            own.step()

        return step

    return make
