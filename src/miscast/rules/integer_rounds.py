"""Positions, indices or counts become a dtype that cannot tell them apart.

## What
Distinct whole numbers are converted to, or made in, a floating dtype beyond the whole numbers that it holds: 2048 in
float16, 256 in bfloat16, 16,777,216 in float32. Several become the same.

## Why
A timestep, a position or an id is a name, not a measurement: 999 that becomes 1000 is another one. Embeddings of
positions repeat, rotary angles are those of a neighbour.

## Example
    timesteps = torch.arange(1000).to(torch.bfloat16)    # 507 distinct ones are left

## Use instead
    timesteps = torch.arange(1000).to(torch.float32)     # round what is computed of them, if anything

## Fix safety
Not safe: what is computed of them is computed in a wider dtype, which is the intention.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..event import Trace
from ..finding import Finding
from ..findings.lossy import lossy

_MESSAGE = "{op} rounds whole numbers: {figures}"
_WAYS_OUT = ("keep them in {wanted}, at {where}, and cast what is computed of them",)


def find(trace: Trace) -> Iterator[Finding]:
    """What was lost in this way."""
    yield from lossy(trace, __name__, _MESSAGE, _WAYS_OUT)
