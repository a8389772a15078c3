"""A Python number does not fit the dtype that it is converted to, and torch raises.

## What it does
float16 holds numbers up to 65504: `masked_fill(mask, -1e9)` raises `value cannot be converted to type c10::Half without
overflow`. An int8 tensor holds -128 to 127, and 300 does not fit uint8. Infinity fits every floating dtype except
float8_e4m3fn.

## Why is this bad?
The code was written for float32 or bfloat16, which can represent such numbers, and now runs in float16.

## Example
    scores = scores.masked_fill(mask, -1e9)              # -1e9 does not fit float16 `self` of masked_fill

## Use instead
    scores = scores.masked_fill(mask, torch.finfo(scores.dtype).min)

## Fix safety
Not safe: a different number is written. For a mask before a softmax, the dtype's lowest number works just as well. A
wider dtype is safe.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...core.event import Trace
from ...core.finding import Finding
from ..findings.finding_builder import make_finding
from ..findings.number_wording import misfit, ways_out


def find(trace: Trace) -> Iterator[Finding]:
    """Yield calls with a number for which torch raises."""
    for call in trace.calls:
        if call.violation.kind == "number" and call.violation.error and not call.hidden:
            yield make_finding(__name__, call, misfit(call), fixes=ways_out(call))
