"""Gradients are made to have another dtype than their parameters.

## What
SimpleTuner's `gradient_precision=fp32` with half parameters (`mixed_precision` bf16 or fp16).

## Why
SimpleTuner trains half parameters without autocast, and replaces `param.grad.data` by float32 after backward. torch's
Adam then mixes a float32 gradient with a half state; with several processes and gradient accumulation, the next
backward meets a half bucket with a float32 gradient.

## Example
    MIXED_PRECISION="bf16"                               # config.env
    TRAINER_EXTRA_ARGS="--gradient_precision=fp32"

## Use instead
    TRAINER_EXTRA_ARGS="--gradient_precision=unmodified"

## Fix safety
Safe: half gradients are what the parameters take anyway; an optimizer with Kahan summation keeps small updates.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...finding import Severity
from ..contradiction import Contradiction, replaced
from ..run import Run
from ..systems import simpletuner
from ..view import View

_TORCH = ("adam", "adamw")
"""By their names of 2024; since they are torch-adam and torch-adamw, fp32 becomes unmodified (measured on 3.1.6)."""
_DDP = "RuntimeError: Expected {half}, got Float (in backward: the bucket is {dtype}, the accumulated gradient float32)"
_ADAM = "RuntimeError: expected dtype c10::{half} for `end` but got dtype float (in the step of torch's Adam)"
_SILENT = "silent: the optimizer is outside SimpleTuner's table, so gradient_precision becomes unmodified"


class _Effect(NamedTuple):
    """What happens, how bad it is, and the keys that it depends on."""

    text: str
    severity: Severity
    keys: tuple[str, ...]


def find(run: Run) -> Iterator[Contradiction]:
    """gradient_precision=fp32 beside half parameters."""
    view = run.view("simpletuner")
    setting = view.given("gradient_precision")
    dtype = simpletuner.half(view) if view else ""
    if setting is None or setting.value != "fp32" or not dtype:
        return
    effect = _effect(view, run, dtype)
    yield Contradiction(
        says=f"gradient_precision is fp32, the parameters are {dtype}",
        settings=(
            setting,
            view.given("mixed_precision"),
            *map(view.given, effect.keys),
        ),
        severity=effect.severity,
        effect=effect.text,
        help="set gradient_precision to unmodified",
        edit=replaced(setting, _as_written(setting.entry.text, "unmodified")),
    )


def _effect(view: View, run: Run, dtype: str) -> _Effect:
    half = "BFloat16" if dtype == "bfloat16" else "Half"
    adam = _ADAM.format(half=half)
    accumulates = (view.number("gradient_accumulation_steps") or 1) > 1
    processes = (
        view.number("num_processes")
        or run.view("accelerate").number("num_processes")
        or 1
    )
    if accumulates and processes > 1 and not simpletuner.unmodified(view):
        keys = ("gradient_accumulation_steps", "num_processes")
        return _Effect(_DDP.format(half=half, dtype=dtype), "error", keys)
    if view.given("optimizer") is not None and view.text("optimizer") not in _TORCH:
        return _Effect(
            f"{_SILENT}; versions of 2024 raise {adam}", "warning", ("optimizer",)
        )
    with_ddp = f"{adam}; with DDP and accumulation: Expected {half}, got Float"
    return _Effect(with_ddp, "error", ("optimizer", "gradient_accumulation_steps"))


def _as_written(old: str, new: str) -> str:
    return f"{old[0]}{new}{old[0]}" if old[:1] in ('"', "'") else new
