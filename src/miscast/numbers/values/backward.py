"""Find the loss on which `backward()` was called, before a GradScaler scaled it, and its twin."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import torch

from . import record
from .section import LossValue

if TYPE_CHECKING:
    from types import FrameType

    from .beside import Beside

OPS = frozenset({"mul", "ones_like"})
"""Ops that the functions below handle."""
_SCALER = os.path.join("torch", "amp", "grad_scaler.py")
_NEAR = 6


def note_scaled(run: Beside) -> None:
    """Record a loss before a GradScaler multiplies it, on the product."""
    if run.plan.op != "mul" or not isinstance(run.real, torch.Tensor):
        return
    if run.real.numel() != 1 or not _is_scaler(run.frame):
        return
    loss = run.bound["self"]
    record.made(run.real).unscaled = (loss.item(), _beside(run, loss), loss.dtype)


def loss_of(run: Beside) -> LossValue | None:
    """Return the loss if the op is the first of `loss.backward()`, which creates a gradient of 1 for the loss."""
    if not asks_for_gradients(run):
        return None
    loss = run.bound["self"]
    if loss.numel() != 1 or not record.is_plain(loss):
        return None
    kept = record.find(loss)
    if kept is not None and kept.unscaled is not None:
        value, exact, dtype = kept.unscaled
    else:
        value, exact, dtype = loss.item(), _beside(run, loss), loss.dtype
    scale = loss.item() / value if value else 1.0
    return LossValue(
        value=value, exact=exact, dtype=str(dtype)[6:], location=run.site(loss.dtype).location,
        step=run.shadow.watch.steps + 1, scale=scale,
    )  # fmt: skip


def _beside(run: Beside, loss: torch.Tensor) -> float:
    return float(record.shadow(loss, run.precision).item())


def _is_scaler(frame: FrameType | None) -> bool:
    for _ in range(_NEAR):
        if frame is None:
            return False
        if frame.f_code.co_filename.endswith(_SCALER):
            return True
        frame = frame.f_back
    return False


def asks_for_gradients(run: Beside) -> bool:
    """Check whether torch.autograd makes the gradient of what backward starts from."""
    frame = run.frame if run.plan.op == "ones_like" else None
    while frame is not None:
        if frame.f_code is _MAKE_GRADIENTS:
            return True
        frame = frame.f_back
    return False


# A hook that `backward()` tells of its tensors would replace this.
_MAKE_GRADIENTS = sys.modules["torch.autograd"]._make_grads.__code__
