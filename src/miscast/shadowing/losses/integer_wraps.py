"""Integer arithmetic overflows and wraps around.

## What it does
uint8 ends at 255, int8 at 127, int16 at 32767, int32 at 2,147,483,647. Reported if the same op in int64 gives other
results.

## Why is this bad?
torch wraps around silently. Bright pixels become dark, a difference of images is 255 instead of -1, and a flat index
becomes negative.

## Limits
Not reported: intentional wrapping, as in hashes and random generators, where bits or a remainder are taken next; and
int64.

## Example
    difference = (first - second).abs()                  # uint8

## Use instead
    difference = (first.int() - second.int()).abs()
"""

from __future__ import annotations

from collections.abc import Iterator

from ..call import Call
from ..loss import Loss


def observe(call: Call) -> Iterator[Loss]:
    """Yield nothing: these results do not round. `integers` reports them, with the operands that it needs."""
    del call
    yield from ()
