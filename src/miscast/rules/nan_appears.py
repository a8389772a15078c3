"""A number that is none, nan, is made of numbers that are.

## What
0 / 0, 0 * inf and inf - inf of known numbers, a division by known numbers of which some are 0, and a root or logarithm
of 0 that `torch.where` hides: its gradient is 0 * inf; `std` and `var` of one number. A program that looks for nan
itself (`isnan`, `nan_to_num`, `nanmean`), or chooses something else in the same lines, is left alone.

## Why
One nan in a loss is one in each weight after the step. A mask that multiplies -inf, a mean over a sequence that is all
padding, p * log(p) of a certain choice make one each.

## Example
    bias = (1 - keep) * float("-inf")                    # 0 * -inf where everything may be looked at

## Use instead
    bias = torch.zeros_like(keep).masked_fill(keep == 0, float("-inf"))

## Fix safety
Not safe: what the numbers are to be instead is the program's to say.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..event import Trace
from ..finding import Finding
from ..findings.lossy import lossy

_MESSAGE = "{op} makes nan: {figures}"
_WAYS_OUT = (
    "keep the 0 out of it before, at {where}: clamp the divisor, masked_fill instead of a product, xlogy(p, p)",
    "put `where` inside the root as well: what it hides has a gradient",
)


def find(trace: Trace) -> Iterator[Finding]:
    """What was lost in this way."""
    yield from lossy(trace, __name__, _MESSAGE, _WAYS_OUT)
