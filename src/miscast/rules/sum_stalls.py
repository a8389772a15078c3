"""A long sum or product is accumulated in a half dtype.

## What
cumsum or cumprod over more terms than the dtype has steps between a number and its double (256 in bfloat16, 2048 in
float16), or the gradients of so many micro-batches summed in it.

## Why
Each addition rounds the whole sum. When a term is below half of its spacing, adding it changes nothing.

## Example
    alphas_cumprod = alphas.bfloat16().cumprod(0)        # 1000 factors: off by a third at the end

## Use instead
    alphas_cumprod = alphas.float().cumprod(0)

## Fix safety
Not safe: other numbers, the right ones, in more memory.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..event import Trace
from ..finding import Finding
from ..findings.lossy import lossy

_MESSAGE = "{op} accumulates in a half dtype: {figures}"
_WAYS_OUT = (
    "accumulate in float32, at {where}: {op}(…, dtype=torch.float32), or float32 parameters under autocast",
)


def find(trace: Trace) -> Iterator[Finding]:
    """What was lost in this way."""
    yield from lossy(trace, __name__, _MESSAGE, _WAYS_OUT)
