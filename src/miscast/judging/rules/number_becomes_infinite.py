"""A Python number is too large for a half-precision dtype and silently becomes infinite.

## What it does
Most ops raise for a number that float16 cannot represent. Assignment by index, `torch.tensor`, `where` on the CPU, and
sums do not: anything above 65520 becomes infinite.

## Why is this bad?
A mask value of -1e9 should be large but finite. With -inf, a fully masked row is NaN after its softmax, and so is
everything computed from it.

## Example
    scores[mask] = -1e9                                  # -1e9 is -inf in float16

## Use instead
    scores[mask] = torch.finfo(scores.dtype).min

## Fix safety
Not safe: a different number is written. If infinity is intended, write `float("-inf")`. A wider dtype can represent the
number, but changes later results.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...core.event import Trace
from ...core.finding import Finding
from ..findings.finding_builder import make_finding
from ..findings.number_wording import infinite, ways_out


def find(trace: Trace) -> Iterator[Finding]:
    """Yield calls with a number that becomes infinite, of which torch says nothing."""
    for call in trace.calls:
        silent = call.violation.kind == "number" and not call.violation.error
        if silent and not call.hidden:
            yield make_finding(
                __name__, call, infinite(call), severity="warning", fixes=ways_out(call)
            )
