"""Optimizers that step in the place of the program's: states of eight bits, or states on the host in float32."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import Any

import torch
from torch.optim import Optimizer

from .stepping import Step, follow

_CHANGED = ("amsgrad", "maximize")
"""Options that make it another optimizer."""


def eight_bit(library: str) -> Callable[[Optimizer], Step]:
    """Return a function that replaces an Adam or AdamW by torchao's or bitsandbytes', over the same parameters."""

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


def on_host(optimizer: Optimizer) -> Step:
    """Return one of the same class over copies on the host, in float32.

    Gradients go there, weights come back, each in its own dtype, one after the other. DeepSpeed's
    `offload_optimizer` works like that, and torchao's `CPUOffloadOptimizer` for float32 weights.
    """
    groups: list[dict[str, Any]] = []
    pairs = []
    for group in optimizer.param_groups:
        copies = [one.detach().to("cpu", copy=True).float() for one in group["params"]]
        pairs += list(zip(group["params"], copies, strict=True))
        groups.append({**group, "params": copies, "fused": None, "foreach": None})
    kind = type(optimizer)
    own = type(kind.__name__, (kind,), {})(groups)  # a class that steps by itself

    @torch.no_grad()
    def step() -> None:
        follow(own, optimizer)
        for one, copy in pairs:
            copy.grad = None if one.grad is None else one.grad.to("cpu").float()
        own.step()
        for one, copy in pairs:
            if copy.grad is not None:
                one.copy_(copy.to(one.dtype))

    return step
