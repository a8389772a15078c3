"""A GradScaler is missing or used incorrectly.

## What it does
Reports:

- gradients that are clipped, added to or bounded by a hook before `unscale_`, or whose norm is compared with a number
- gradients that the program divides by the scale and the scaler divides again
- an optimizer, or the program itself, that steps with scaled gradients, bypasses the scaler that has unscaled them, or
  steps once more after `scaler.step`
- a new scaler for each step, or a scaler whose scale grows every few steps
- gradients that are added to those of the previous step
- float32 parameters trained under float16 autocast without a scaler
- a scaled loss, or a norm of scaled gradients, that is read as if it were not scaled
- float16 gradients that are divided in float16 by the program's own scale
- calls that the scaler itself rejects: no parameter of the optimizer has a gradient, or `unscale_`, `step` and `update`
  are not called once each, in this order

## Why is this bad?
The scale keeps small float16 gradients from becoming 0, and must be removed before the gradients are used. torch
detects only a few of these mistakes.

## Example
    scaler.scale(loss).backward()
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)    # clips 65536 times the gradients

## Use instead
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)

## Fix safety
Not safe: training results change.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...core.event import Trace
from ...core.finding import Finding
from ..findings.lossy import lossy

_MESSAGE = "{figures}"
_TWICE, _MIXED = "scaler.unscale_ is called twice", "added to one that was divided"
_ALL_OF_IT = "use one GradScaler: scale(loss).backward(), unscale_ before gradients are used, step, update"
_WAYS_OUT = {
    "are frozen": "do not step this optimizer, or train its parameters: requires_grad_(True)",
    "it has no parameters": "create the optimizer with the parameters that are trained",
    "set to None after": "call zero_grad() before the backward pass, or after scaler.step",
    "reached none of its": "compute a loss that depends on them, or skip scaler.step and scaler.update()",
    "no backward pass since": "skip scaler.step where backward() is skipped",
    _TWICE: "call it once, after the last micro-batch, and scaler.update() once per step",
    "scaler.unscale_ is called after": "call it between backward and scaler.step, and scaler.update() once per step",
    "scaler.step is called twice": "call scaler.step once for each optimizer, then scaler.update()",
    "scaler.update() is called without": "call scaler.update() only where scaler.step was called",
    "the last step's": "call optimizer.zero_grad() before each step's first backward pass",
    "call unscale_ first": "call scaler.unscale_(optimizer) once, between backward and {where}: "
    "scaler.step will not unscale again",
    "without a GradScaler": "create a GradScaler before the loop and call scaler.scale(loss).backward(), "
    "scaler.step(optimizer) and scaler.update(); or autocast to bfloat16, which needs no scaler",
    "a new GradScaler": "create it once, before the loop, and call scaler.update() after each scaler.step",
    "already taken this step": "remove optimizer.step(): scaler.step(optimizer) has called it",
    "steps with scaled": "call scaler.step(optimizer) instead, then scaler.update()",
    "is not scaled": "call scaler.scale(loss).backward() for each loss of the step",
    "divided by the scale": "call unscale_, step and update once, after the last micro-batch",
    "growth_interval": "use the default growth_interval of 2000, or a smaller init_scale",
    "a hook clips": "remove the hook, and clip them between scaler.unscale_(optimizer) and scaler.step(optimizer)",
    "divides them again": "call scaler.unscale_(optimizer) instead: scaler.step will not unscale again",
    "bypasses the scaler": "call scaler.step(optimizer) instead: it skips a step with infinities",
    "a norm of gradients times": "call scaler.unscale_(optimizer) before it is computed: scaler.step will not "
    "unscale again",
    "the value read here": "keep the unscaled loss in its own variable, and read that: scaler.scale(loss).backward()",
    "in float16": "divide in float32: p.grad.float() / scale",
}
"""Ways out, by the evidence."""


def find(trace: Trace) -> Iterator[Finding]:
    """Yield what was lost in this way; a call that the scaler refuses says what its gradients were mixed by."""
    found = tuple(lossy(trace, __name__, _MESSAGE, _ways_out))
    refused = any(_TWICE in one.message for one in found)
    yield from (one for one in found if not refused or _MIXED not in one.message)


def _ways_out(figures: str) -> tuple[str, ...]:
    return next(
        (text,)
        for said, text in (*_WAYS_OUT.items(), ("", _ALL_OF_IT))
        if said in figures
    )
