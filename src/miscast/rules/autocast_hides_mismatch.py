"""Only autocast keeps a call from failing.

## What
With `check --strict`: a call whose operands do not fit, and which runs because autocast casts them.

## Why
The same code fails as soon as autocast is switched off: for sampling, for validation, by a trainer that sees that all
components are half, or on a device whose autocast does not cover the op.

## Example
    with torch.autocast("cuda", dtype=torch.float16):
        unet(float32_latent)                             # half weights: hidden here, an error outside

## Use instead
    unet(float32_latent.to(unet.dtype))

## Fix safety
As for operand-dtype-mismatch.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..event import Call, Trace
from ..finding import Finding
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
