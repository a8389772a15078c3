"""Fractions between 0 and 1 are cast to uint8 or int8, which discards them.

## What it does
An image in the range 0…1 is cast to uint8 without a factor of 255: more than half of its numbers have a fraction, and
more than nine in ten become 0. Also reported: a cast to int8 that truncates numbers of both signs instead of rounding
them, as in a quantization.

## Limits
Masks, labels, and intentionally truncated indices are not reported.

## Example
    stored = (picture.float() / 255).to(torch.uint8)

## Use instead
    stored = (picture * 255).round().clamp(0, 255).to(torch.uint8)
"""

from __future__ import annotations

from collections.abc import Iterator

from ..call import Call
from ..loss import Loss


def observe(call: Call) -> Iterator[Loss]:
    """Yield nothing: `integers` reports these, along with integers that wrap."""
    del call
    yield from ()
