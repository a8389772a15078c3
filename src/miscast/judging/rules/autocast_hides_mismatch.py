"""A call with mismatching operands works only because autocast casts them.

## What it does
With `check --strict`, reports calls whose operands do not match and that run only because autocast casts them.

## Why is this bad?
The same code fails as soon as autocast is off: during sampling or validation, in a trainer that disables autocast
because all modules are in half precision, or on a device whose autocast does not cover the op.

## Example
    with torch.autocast("cuda", dtype=torch.float16):
        unet(float32_latent)                             # half-precision weights: an error without autocast

## Use instead
    unet(float32_latent.to(unet.dtype))

## Fix safety
See operand-dtype-mismatch.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...core.event import Call, Trace
from ...core.finding import Finding
from ..findings.finding_builder import involved, make_finding, mix

STRICT = True


def find(trace: Trace) -> Iterator[Finding]:
    """Mismatches that autocast hides."""
    for call in trace.calls:
        if call.hidden:
            yield make_finding(__name__, call, _message(call), severity="warning")


def _message(call: Call) -> str:
    if len({operand.tensor.dtype for operand in involved(call)}) > 1:
        return f"only autocast keeps {call.op} from mixing {mix(call)}"
    return f"only autocast keeps {call.op} from failing"
