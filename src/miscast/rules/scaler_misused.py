"""A GradScaler is not used as it has to be, or is missing.

## What
Gradients are clipped, added to, bounded by a hook, or their norm held against a number before unscale_; they are
divided by the scale by hand, and by the scaler again; an optimizer, or the program itself, steps with scaled gradients,
past the scaler that has unscaled them, or once more after scaler.step; a new scaler is made for each step, or one whose
scale grows every few steps; gradients are added to those that the last step has used; or float16 autocast trains
float32 parameters without any. A scaled loss, or a norm of scaled gradients, is read as if it were not scaled. Float16
gradients are divided in float16 by a scale of the program's own. Or the scaler itself refuses a call: no parameter of
the optimizer has a gradient, or unscale_, step and update do not come once each, in this order.

## Why
A scale is there so that small gradients do not become 0 in float16, and it is to be taken off before anybody looks at
them. torch notices few of the ways to get that wrong.

## Example
    scaler.scale(loss).backward()
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)    # of 65536 times the gradients

## Use instead
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)

## Fix safety
Not safe: the training becomes another one.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..event import Trace
from ..finding import Finding
from ..findings.lossy import lossy

_MESSAGE = "{figures}"
_ALL_OF_IT = "use one GradScaler: scale(loss).backward(), unscale_ before gradients are looked at, step, update"
_WAYS_OUT = {
    "are frozen": "leave this optimizer out, or train what it has: requires_grad_(True)",
    "it has no parameters": "make the optimizer of the parameters that are trained",
    "set to None after": "call zero_grad() before the backward pass, or after scaler.step",
    "reached none of its": "compute a loss that depends on them, or leave out scaler.step and scaler.update(), too",
    "no backward pass came": "leave out scaler.step where backward() is left out",
    "scaler.unscale_ comes a second time": "call it once, after the last micro-batch, and scaler.update() once a step",
    "scaler.unscale_ comes after": "call it between backward and scaler.step, and scaler.update() once a step",
    "scaler.step comes a second time": "call scaler.step once for each optimizer, then scaler.update()",
    "scaler.update() comes without": "call scaler.update() only where scaler.step was called",
    "the last step's": "call optimizer.zero_grad() before each step's first backward pass",
    "unscale_ comes first": "call scaler.unscale_(optimizer) once, between backward and {where}: scaler.step knows",
    "without a GradScaler": "make a GradScaler before the loop, scaler.scale(loss).backward(), scaler.step(optimizer), "
    "scaler.update(); or autocast to bfloat16, which needs none",
    "a new GradScaler": "make it once, before the loop, and call scaler.update() after each scaler.step",
    "taken this step already": "leave out optimizer.step(): scaler.step(optimizer) has called it",
    "steps with scaled": "call scaler.step(optimizer) in its place, and scaler.update() after it",
    "is not scaled": "call scaler.scale(loss).backward() for each loss of the step",
    "divided by the scale": "call unscale_, step and update once, after the last micro-batch",
    "growth_interval": "leave growth_interval at 2000, or give init_scale a smaller number",
    "a hook bounds": "leave out the hook, and bound them between scaler.unscale_(optimizer) and scaler.step(optimizer)",
    "divides them again": "call scaler.unscale_(optimizer) in its place: scaler.step knows of that",
    "steps past": "call scaler.step(optimizer) in its place: it leaves out a step with infinities",
    "a norm of gradients times": "call scaler.unscale_(optimizer) before it is taken: scaler.step knows",
    "what is read here": "keep the loss under a name of its own, and read that: scaler.scale(loss).backward()",
    "in float16": "divide what was cast: p.grad.float() / scale",
}
"""By what the figures say."""


def find(trace: Trace) -> Iterator[Finding]:
    """What was lost in this way."""
    yield from lossy(trace, __name__, _MESSAGE, _ways_out)


def _ways_out(figures: str) -> tuple[str, ...]:
    return next(
        (text,)
        for said, text in (*_WAYS_OUT.items(), ("", _ALL_OF_IT))
        if said in figures
    )
