"""A GradScaler is asked to unscale float16 gradients.

## What it does
`GradScaler.unscale_` (also inside `scaler.step`) raises `Attempting to unscale FP16 gradients.` when a trained
parameter is float16.

## Why is this bad?
A GradScaler is made for float32 parameters under autocast. Unscaled float16 gradients would underflow, which is what
the scale prevents.

## Example
    unet = unet.half()
    optimizer = torch.optim.AdamW(unet.parameters())
    scaler.scale(loss).backward()
    scaler.step(optimizer)                               # GradScaler.unscale_ gets float16 gradients

## Use instead
    unet = unet.float()                                  # trained parameters stay float32
    with torch.autocast("cuda", dtype=torch.float16):
        loss = step(unet)

## Fix safety
Not safe: float32 parameters represent every float16 number, but receive smaller updates and need twice the memory.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...core.event import Trace
from ...core.finding import Finding, Fix
from ..findings.finding_builder import make_finding

OP = "GradScaler.unscale_"
_FIXES = (
    Fix(
        title="keep trained parameters in float32, and let torch.autocast compute in float16: "
        "`for p in filter(lambda p: p.requires_grad, model.parameters()): p.data = p.data.float()`"
    ),
    Fix(title="train in bfloat16 without a GradScaler, if the machine supports it"),
)


def find(trace: Trace) -> Iterator[Finding]:
    """Refusals of the scaler."""
    for call in trace.calls:
        if call.op == OP and call.violation.kind == "forbidden":
            yield make_finding(
                __name__,
                call,
                "GradScaler.unscale_ gets float16 gradients",
                fixes=_FIXES,
            )
