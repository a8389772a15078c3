"""A difference of nearly equal half numbers is mostly their rounding.

## What
Two numbers that an op computed in a half dtype are subtracted, and what is left is of the size of what both were
rounded by.

## Why
1 + x - exp(x) of a small x is 0, 0.0039 or 0.0078 in bfloat16, whatever x is.

## Example
    kl = 1 + logvar - mean.pow(2) - logvar.exp()         # bfloat16

## Use instead
    kl = 1 + logvar.float() - mean.float().pow(2) - logvar.float().exp()

## Fix safety
Not safe: other numbers, the right ones.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..event import Trace
from ..finding import Finding
from ..findings.lossy import lossy

_MESSAGE = "{op} leaves mostly rounding: {figures}"
_WAYS_OUT = ("compute the terms in float32, before {where}",)


def find(trace: Trace) -> Iterator[Finding]:
    """What was lost in this way."""
    yield from lossy(trace, __name__, _MESSAGE, _WAYS_OUT)
