"""Finite numbers become infinite because of their half dtype.

## What
An op gives inf or nan in float16 or bfloat16 where the same numbers give finite ones in float64; or, with
`--numerics`, numbers of the typical range pass the largest one of the dtype.

## Why
float16 ends at 65504: squares from 256 on, sums of a picture, norms by hand. One infinity makes a nan of all that
follows.

## Example
    variance = x.half().pow(2).mean(-1)                  # 300 squared is inf

## Use instead
    variance = x.float().pow(2).mean(-1)

## Fix safety
Not safe: other numbers, the right ones.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..event import Trace
from ..finding import Finding
from ..findings.lossy import lossy

_MESSAGE = "{op} overflows: {figures}"
_WAYS_OUT = ("{cast}",)


def find(trace: Trace) -> Iterator[Finding]:
    """What was lost in this way."""
    yield from lossy(trace, __name__, _MESSAGE, _WAYS_OUT)
