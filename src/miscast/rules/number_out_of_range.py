"""A Python number does not fit the dtype that it is put into, and torch raises.

## What
float16 holds numbers up to 65504: `masked_fill(mask, -1e9)` raises `value cannot be converted to type c10::Half
without overflow`. An int8 tensor takes -128 to 127, a uint8 tensor no 300. Infinity fits every floating dtype but
float8_e4m3fn.

## Why
The code was written for float32 or bfloat16, which hold such numbers, and runs in float16 now.

## Example
    scores = scores.masked_fill(mask, -1e9)              # -1e9 does not fit float16 `self` of masked_fill

## Use instead
    scores = scores.masked_fill(mask, torch.finfo(scores.dtype).min)

## Fix safety
Not safe: another number is written. For a mask before a softmax, the dtype's lowest number is as good as any. A wider
dtype is safe.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..event import Trace
from ..finding import Finding
from ..findings.finding_builder import make_finding
from ..findings.number_wording import misfit, ways_out


def find(trace: Trace) -> Iterator[Finding]:
    """Calls with a number for which torch raises."""
    for call in trace.calls:
        if call.violation.kind == "number" and call.violation.error and not call.hidden:
            yield make_finding(__name__, call, misfit(call), fixes=ways_out(call))
