"""A GradScaler is to unscale float16 gradients.

## What
`GradScaler.unscale_` (also inside `scaler.step`) raises `Attempting to unscale FP16 gradients.` when a trained
parameter is float16.

## Why
The scaler belongs to float32 parameters under autocast: unscaled float16 gradients underflow, and that is what the
scale was for.

## Example
    unet = unet.half()
    optimizer = torch.optim.AdamW(unet.parameters())
    scaler.scale(loss).backward()
    scaler.step(optimizer)                               # GradScaler.unscale_ meets float16 gradients

## Use instead
    unet = unet.float()                                  # what is trained stays float32
    with torch.autocast("cuda", dtype=torch.float16):
        loss = step(unet)

## Fix safety
Not safe: parameters in float32 hold every float16 number, but take smaller steps; they need twice the memory.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..event import Trace
from ..finding import Finding, Fix
from ..findings.finding_builder import make_finding

OP = "GradScaler.unscale_"
_FIXES = (
    Fix(
        title="keep what is trained in float32, and let torch.autocast compute in float16: "
        "`for p in filter(lambda p: p.requires_grad, model.parameters()): p.data = p.data.float()`"
    ),
    Fix(title="train in bfloat16 without a GradScaler, where the machine has it"),
)


def find(trace: Trace) -> Iterator[Finding]:
    """Refusals of the scaler."""
    for call in trace.calls:
        if call.op == OP and call.violation.kind == "forbidden":
            yield make_finding(
                __name__,
                call,
                "GradScaler.unscale_ meets float16 gradients",
                fixes=_FIXES,
            )
