"""An integer passes the end of its dtype and goes on at the other end.

## What
uint8 ends at 255, int8 at 127, int16 at 32767, int32 at 2,147,483,647. The same op in int64 gives other numbers.

## Why
torch does not tell. Bright pixels become dark, a difference of pictures is near 255 where it should be -1, a flat index
is negative.

## Not told
What wraps on purpose: numbers of which bits or a remainder are taken next, as hashes and random generators do. int64.

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
    """Results that round are none of it: `integers` sees these, with the operands that it needs."""
    del call
    yield from ()
