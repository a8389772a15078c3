"""A GradScaler is not used as it has to be, or is missing.

## What
Gradients are clipped before unscale_; an optimizer steps with scaled gradients; a new scaler is made for each step; or
float16 autocast trains float32 parameters without any.

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
_WAYS_OUT = (
    "use one GradScaler for the run: scale(loss).backward(), unscale_ before gradients are looked at, step, update",
)


def find(trace: Trace) -> Iterator[Finding]:
    """What was lost in this way."""
    yield from lossy(trace, __name__, _MESSAGE, _WAYS_OUT)
