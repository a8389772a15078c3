"""Explain a GradScaler's errors by the state of an optimizer between two calls of `update()`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .loss import Lost, misused

if TYPE_CHECKING:
    from collections.abc import Sequence

    import torch

    from .gradients import Gradients

_NO_GRADIENT = "No inf checks were recorded for this optimizer"
_TWICE = "is called twice for this optimizer, without scaler.update() in between"
_REFUSED = {
    "unscale_() has already been called": f"scaler.unscale_ {_TWICE}",
    "unscale_() is being called after step()": "scaler.unscale_ is called after scaler.step, which has already "
    "divided the gradients",
    "step() has already been called": f"scaler.step {_TWICE}",
    "No inf checks were recorded prior to update": "scaler.update() is called without a scaler.step before it",
}
"""Reasons by the start of torch's text."""


def refused(
    error: BaseException,
    parameters: Sequence[torch.Tensor],
    gradients: Gradients,
    *,
    passed: bool,
) -> Lost | None:
    """Return the finding for a GradScaler's error; None for another error. `passed`: a backward pass has run."""
    text = str(error)
    figures = next((why for start, why in _REFUSED.items() if text.startswith(start)), "")  # fmt: skip
    if text.startswith(_NO_GRADIENT):
        figures = f"no parameter of this optimizer has a gradient: {_why(parameters, gradients, passed=passed)}"
    if not figures:
        return None
    return misused(figures, "param", error=text, raises=type(error).__name__)


def _why(parameters: Sequence[Any], gradients: Gradients, *, passed: bool) -> str:
    if not parameters:
        return "it has no parameters"
    if not any(one.requires_grad for one in parameters):
        return f"all {len(parameters)} are frozen"
    if gradients.kinds(parameters):
        return "they were set to None after the backward pass"
    if passed:
        return f"the backward pass reached none of its {len(parameters)}"
    return "no backward pass since the last scaler.update()"
