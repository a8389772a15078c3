"""A row of scores is masked throughout.

## What
A softmax is given a row of which every score is -inf. (torch's own attention gives 0 for such a row.)

## Why
The softmax of nothing but -inf is 0 / 0: nan, for the whole row, and in backward for all that it touches.

## Example
    weights = scores.masked_fill(padding, float("-inf")).softmax(-1)   # a sample of padding only

## Use instead
    weights = scores.masked_fill(padding, torch.finfo(scores.dtype).min).softmax(-1)

## Fix safety
Not safe: an empty row becomes a mean of all instead of nan; it is to be masked in the loss.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..event import Trace
from ..finding import Finding
from ..findings.lossy import lossy

_MESSAGE = "{op} gives nan: {figures}"
_WAYS_OUT = (
    "mask with torch.finfo(scores.dtype).min instead of -inf, before {where}",
    "leave out the rows that have nothing",
)


def find(trace: Trace) -> Iterator[Finding]:
    """What was lost in this way."""
    yield from lossy(trace, __name__, _MESSAGE, _WAYS_OUT)
