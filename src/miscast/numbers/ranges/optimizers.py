"""Parameters of a half dtype in torch's own optimizers: which steps their numbers do not feel.

torch's optimizers keep no float32 copy of a parameter, round to the nearest, and give their state the parameter's
dtype. Others (bitsandbytes, torchao, DeepSpeed, those that a program writes) may do better: of them nothing is said.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import torch

from ...vm.provenance.record import find
from .loss import HALF, PRECISION, Lost, short, spacing, spelled
from .seen import moments_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_OWN = "torch.optim."
_AS_LARGE_AS_THE_RATE = frozenset(
    {"Adam", "AdamW", "NAdam", "RAdam", "Adamax", "RMSprop", "Adagrad", "SGD", "ASGD"}
)
"""Optimizers with steps of about the learning rate at most: they divide. SGD only if gradients are at most 1."""
_MOST = 0.5
"""Minimum share of the values trained in half precision that a step leaves unchanged."""
_AVERAGED = {
    "Adam": "exp_avg_sq", "AdamW": "exp_avg_sq", "NAdam": "exp_avg_sq", "RAdam": "exp_avg_sq", "RMSprop": "square_avg",
}  # fmt: skip
"""Optimizers that divide by the root of averaged squares, and their state's name for it."""


Stepped = tuple[Lost, torch.Tensor]
"""An optimizer's fault, and the parameter for the report."""


def judged(optimizer: torch.optim.Optimizer) -> Iterator[Stepped]:
    """Yield what an optimizer's first step shows of all to come."""
    kind = type(optimizer)
    if not kind.__module__.startswith(_OWN):
        return
    trained = [
        (p, group)
        for group in optimizer.param_groups
        for p in group["params"]
        if p.grad is not None and p.requires_grad
    ]
    half = [(p, group) for p, group in trained if p.dtype in HALF]
    if not half:
        return
    if kind.__name__ in _AS_LARGE_AS_THE_RATE:
        yield from _unfelt(half)
    if kind.__name__ in _AVERAGED:
        yield from _standing(half, _AVERAGED[kind.__name__])


def _unfelt(half: list[tuple[torch.Tensor, dict[str, Any]]]) -> Iterator[Stepped]:
    """Yield a precision loss if the learning rate is below half the spacing of most of these weights."""
    whole = sum(p.numel() for p, _ in half)
    lost = [(p, *found) for p, group in half if (found := _below(p, group)) is not None]
    if not lost or sum(p.numel() for p, *_ in lost) < _MOST * whole:
        return
    parameter, rate, size = max(lost, key=lambda one: one[0].numel())
    dtype = parameter.dtype
    lost_in = Lost(
        rule="half-parameters-without-master",
        operand="param",
        figures=f"a step of about {spelled(rate)} is below half of {short(dtype)}'s spacing at {spelled(size)}, "
        f"{spelled(spacing(size, dtype) / 2)}",
    )
    yield lost_in, parameter


def _below(
    parameter: torch.Tensor, group: dict[str, Any]
) -> tuple[float, float] | None:
    """Return the step and the weights' size, where such a step rounds to nothing."""
    rate, size = _rate(group), _size(parameter)
    if not rate or not size:
        return None
    return (rate, size) if rate < spacing(size, parameter.dtype) / 2 else None


def _rate(group: dict[str, Any]) -> float:
    """Return the largest that it will be, as far as the group says: a warm-up begins at nearly nothing."""
    rates = [
        float(group[name])
        for name in ("lr", "initial_lr", "max_lr")
        if _is_number(group.get(name))
    ]
    momentum = group.get("momentum") or 0.0
    steps = (
        1.0 / (1.0 - momentum) if _is_number(momentum) and 0 <= momentum < 1 else 1.0
    )
    return max(rates, default=0.0) * steps


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _size(parameter: torch.Tensor) -> float:
    """Return how large its numbers are: as known, else as torch's layers begin.

    Uniform, up to one over the root of inputs.
    """
    found = moments_of(parameter)
    if found is not None:
        return found.rms
    if parameter.dim() < 2:
        return 0.0
    inputs = parameter.numel() // max(parameter.shape[0], 1)
    return 1.0 / math.sqrt(3.0 * inputs) if inputs else 0.0


def _standing(
    half: list[tuple[torch.Tensor, dict[str, Any]]], average: str
) -> Iterator[Stepped]:
    """Yield an average of squares that never falls, or an eps that is no number of the state's dtype."""
    for parameter, group in half:
        figures = _stands(parameter.dtype, group, average)
        if figures:
            form = "factor" if parameter.dtype is torch.bfloat16 else ""
            lost = Lost(
                rule="state-in-half", operand="param", form=form, figures=figures
            )
            yield lost, parameter
            return


def _stands(dtype: torch.dtype, group: dict[str, Any], average: str) -> str:
    betas, eps = group.get("betas") or (group.get("alpha"),), group.get("eps")
    slow = max((b for b in betas if isinstance(b, float)), default=0.0)
    if 0 < 1 - slow < 2.0 ** -(PRECISION[dtype] + 1):
        return (
            f"{average} is {short(dtype)}, like the parameters: a factor of {slow:g} changes none of its numbers, "
            "so it never decreases"
        )
    if dtype is torch.float16 and isinstance(eps, float) and 0 < eps < 2.0**-25:
        return f"{average} is float16, like the parameters: squares below 6e-8 and eps={spelled(eps)} are 0 there"
    return ""


def born(parameter: torch.Tensor) -> Any:
    """Return the place that gave a parameter its dtype, None where that is not known."""
    record = find(parameter)
    origin = None if record is None else record.dtype_origin
    return None if origin is None else origin.user
