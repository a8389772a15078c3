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

from ...finding import Finding, Fix
from ..conflict import replaced, tell
from ..run import Run
from ..systems import simpletuner
from ..view import View

_TORCH = ("adam", "adamw", "torch-adamw", "torch-adam", "torch-adafactor")
_DDP = "RuntimeError: Expected {half}, got Float (in backward: the bucket is {dtype}, the accumulated gradient float32)"
_ADAM = "RuntimeError: expected dtype {cpp} for `end` but got dtype float (in the step of torch's Adam)"
_SILENT = "silent: the optimizer is outside SimpleTuner's table, so gradient_precision becomes unmodified"


def find(run: Run) -> Iterator[Finding]:
    """gradient_precision=fp32 beside half parameters."""
    view = run.view("simpletuner")
    setting = view.given("gradient_precision") if view else None
    dtype = simpletuner.half(view) if view else ""
    if setting is None or setting.value != "fp32" or not dtype:
        return
    effect, extra, severity = _effect(view, run, dtype)
    edit = replaced(setting.entry.at, _as_written(setting.entry.text, "unmodified"))
    mixed = view.given("mixed_precision")
    yield tell(
        "gradient-dtype-unlike-parameters",
        f"gradient_precision is fp32, the parameters are {dtype}",
        [s for s in (setting, mixed, *map(view.given, extra)) if s],
        severity="warning" if severity == "warning" else "error",
        effect=effect,
        fixes=(
            Fix(title="set gradient_precision to unmodified", safe=edit is not None, edits=(edit,) if edit else ()),
        ),
    )


def _effect(view: View, run: Run, dtype: str) -> tuple[str, tuple[str, ...], str]:
    half, cpp = ("BFloat16", "c10::BFloat16") if dtype == "bfloat16" else ("Half", "c10::Half")
    accumulates = (view.number("gradient_accumulation_steps") or 1) > 1
    processes = view.number("num_processes") or run.view("accelerate").number("num_processes") or 1
    if accumulates and processes > 1:
        keys = ("gradient_accumulation_steps", "num_processes")
        return _DDP.format(half=half, dtype=dtype), keys, "error"
    optimizer = view.given("optimizer")
    if optimizer is not None and view.text("optimizer") not in _TORCH:
        return f"{_SILENT}; versions of 2024 raise {_ADAM.format(cpp=cpp)}", ("optimizer",), "warning"
    both = f"{_ADAM.format(cpp=cpp)}; with DDP and accumulation: Expected {half}, got Float"
    return both, ("optimizer", "gradient_accumulation_steps"), "error"


def _as_written(old: str, new: str) -> str:
    return f"{old[0]}{new}{old[0]}" if old[:1] in ('"', "'") else new
