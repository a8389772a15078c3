"""Units of a training step: every optimizer in each of its implementations, gradient clipping, the gradient scaler."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from functools import partial
from typing import Any

import torch

from .units import Program, Unit, calling

HOW: tuple[dict[str, Any], ...] = (
    {"foreach": False},
    {"foreach": True},
    {"fused": True},
)
OPTIONS: dict[str, tuple[dict[str, Any], ...]] = {
    "SGD": ({"momentum": 0.9, "nesterov": True, "weight_decay": 0.1},),
    "Adam": ({"amsgrad": True}, {"weight_decay": 0.1, "maximize": True}),
    "AdamW": ({"amsgrad": True},),
    "RMSprop": ({"momentum": 0.9, "centered": True},),
}
# a closure, sparse gradients
_NO_STEP = frozenset({"Optimizer", "LBFGS", "SparseAdam"})


def units() -> Iterator[Unit]:
    """Yield one for each optimizer, and the rest."""
    for name in sorted(vars(torch.optim)):
        kind = getattr(torch.optim, name)
        if (
            isinstance(kind, type)
            and issubclass(kind, torch.optim.Optimizer)
            and name not in _NO_STEP
        ):
            yield Unit(f"optim.{name}", partial(_steps, kind))
    yield Unit("optim.scaling", _scaling)


def _steps(kind: Any, device: str, dtype: torch.dtype) -> Iterator[Program]:
    if not dtype.is_floating_point:
        return
    for how in HOW:
        for more in ({}, *OPTIONS.get(kind.__name__, ())):
            for scaled in (False, True) if "fused" in how else (False,):
                # no such implementation
                with contextlib.suppress(TypeError, RuntimeError, ValueError):
                    yield _step(kind, device, dtype, {**how, **more}, scaled=scaled)


def _step(
    kind: Any, device: str, dtype: torch.dtype, options: dict[str, Any], *, scaled: bool
) -> Program:
    shapes = ((4, 4), (4, 2))
    parameters = [
        torch.randn(*shape, device=device, dtype=dtype).requires_grad_()
        for shape in shapes
    ]
    try:
        optimizer = kind(parameters, lr=0.1, **options)
    except TypeError:
        # has no `foreach`
        optimizer = kind(parameters, lr=0.1, **{k: v for k, v in options.items() if v})
    for parameter in parameters:
        parameter.grad = torch.randn_like(parameter)
    optimizer.step()  # makes the state; the program is a later step
    if scaled:
        optimizer.grad_scale, optimizer.found_inf = (
            torch.ones((), device=device),
            torch.zeros((), device=device),
        )
    return Program(optimizer.step)


def _scaling(device: str, dtype: torch.dtype) -> Iterator[Program]:
    if not dtype.is_floating_point:
        return
    scale = torch.ones((), device=device)
    inverse = torch.ones((), device=device)
    found = torch.zeros((), device=device)
    steps = torch.zeros((), dtype=torch.int32, device=device)
    gradients = [
        torch.ones(3, device=device, dtype=dtype),
        torch.ones(3, 2, device=device, dtype=dtype),
    ]
    yield calling(
        torch._amp_foreach_non_finite_check_and_unscale_, gradients, found, inverse
    )
    yield calling(torch._amp_update_scale_, scale, steps, found, 2.0, 0.5, 10)
    parameters = [torch.ones_like(g).requires_grad_() for g in gradients]
    for parameter in parameters:
        parameter.grad = torch.ones_like(parameter)
    for foreach in (True, False):
        yield calling(torch.nn.utils.clip_grad_norm_, parameters, 1.0, foreach=foreach)
        yield calling(torch.nn.utils.clip_grad_value_, parameters, 1.0, foreach=foreach)
