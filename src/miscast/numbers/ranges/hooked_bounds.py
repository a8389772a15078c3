"""Gradients that a hook bounds on their way back: with a scaled loss they are scaled there, unscale_ or not."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import torch

from ...core.failure import is_ours
from .loss import Lost, misused

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import FrameType

    from .seen import Seen

OPS = frozenset({"clamp", "clamp_", "clip", "clip_"})
_ENGINE, _GRAPH, _FUNCTION = (
    "_engine_run_backward",
    "torch/autograd/graph.py",
    "torch/autograd/function.py",
)
_LARGEST = 1024.0
"""A bound beyond it is there for what float16 can hold, scale and all."""


def find(seen: Seen) -> Lost | None:
    """Return a finding if a hook bounds the gradient of a scaled loss."""
    gradient = seen.tensor("self")
    # what is computed anew for a backward pass wants gradients itself
    if gradient is None or not gradient.dim() or torch.is_grad_enabled():
        return None
    if not _bounds(seen.given) or not _in_hook(sys._getframe(1)):
        return None
    return misused(
        "a hook clips scaled gradients, and scaler.step then divides them: clip them after unscale_"
    )


def _bounds(given: Mapping[str, Any]) -> bool:
    """Check whether a gradient is to be small: numbers on both sides of 0, far from the end of float16."""
    lo, hi = given.get("min"), given.get("max")
    if not isinstance(lo, (int, float)) or not isinstance(hi, (int, float)):
        return False
    return -_LARGEST <= lo < 0 < hi <= _LARGEST


def _in_hook(frame: FrameType | None) -> bool:
    """Check whether a hook of a backward pass runs.

    Code between autograd's engine and an op, of no `autograd.Function`.
    """
    hook = False
    while frame is not None:
        code = frame.f_code
        if code.co_name == _ENGINE and code.co_filename.endswith(_GRAPH):
            return hook
        if code.co_name == "apply" and code.co_filename.endswith(_FUNCTION):
            return False
        hook, frame = hook or not is_ours(code.co_filename), frame.f_back
    return False
