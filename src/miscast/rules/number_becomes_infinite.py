"""A Python number is too large for a half dtype and becomes infinite without a word.

## What
Most ops raise for a number that float16 cannot hold; an assignment by index, `torch.tensor`, `where` on the CPU, and
sums do not: what is above 65520 is infinite.

## Why
A mask of -1e9 was meant to be large and finite. With -inf a row in which everything is masked is nan after its
softmax, and so is everything that follows.

## Example
    scores[mask] = -1e9                                  # -1e9 is -inf in float16

## Use instead
    scores[mask] = torch.finfo(scores.dtype).min

## Fix safety
Not safe: another number is written; if infinity is meant, `float("-inf")` says so. A wider dtype holds
it, and what is computed with it changes.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..event import Trace
from ..finding import Finding
from ..findings.finding_builder import make_finding
from ..findings.number_wording import infinite, ways_out


def find(trace: Trace) -> Iterator[Finding]:
    """Calls with a number that becomes infinite, of which torch says nothing."""
    for call in trace.calls:
        if (
            call.violation.kind == "number"
            and not call.violation.error
            and not call.hidden
        ):
            yield make_finding(
                __name__, call, infinite(call), severity="warning", fixes=ways_out(call)
            )
