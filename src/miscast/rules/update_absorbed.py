"""An update is so small that it changes nothing.

## What
What is added to a tensor, or the way that an average goes, is below half of the distance to the next number of its
dtype: averages (EMA) with a decay of 0.999 and more in bfloat16, counters, schedules.

## Why
A bfloat16 number has neighbours 0.4 to 0.8 % apart. A step of 0.1 % of the way rounds back to where it was, each time:
the average stands still for ever.

## Example
    average.lerp_(weight, 1e-4)                          # bfloat16: nothing moves

## Use instead
    average = weight.float().clone()                     # the average in float32
    average.lerp_(weight.float(), 1e-4)

## Fix safety
Not safe: the tensor gets another dtype, and moves.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..event import Trace
from ..finding import Finding
from ..findings.lossy import lossy

_MESSAGE = "{op} changes nothing: {figures}"
_WAYS_OUT = ("keep what is updated in {wanted}, where it is made",)


def find(trace: Trace) -> Iterator[Finding]:
    """What was lost in this way."""
    yield from lossy(trace, __name__, _MESSAGE, _WAYS_OUT)
