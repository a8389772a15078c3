"""A choice is made among numbers that a cast has made equal.

## What it does
Router probabilities, beam scores or box scores are cast to half precision right before they are selected or sorted
(`topk`, `sort`, `argmax`, `kthvalue`), counted (`unique`), looked up (`searchsorted`) or compared. Reported if more
than a twentieth of the choices differ from those before the cast. Also reported: uniform random numbers drawn in half
precision and compared with a small rate. `torch.rand` in bfloat16 is 0 once in 512 draws.

## Why is this bad?
Of a hundred numbers between 0.005 and 0.02, many are equal in bfloat16, and which of them is chosen is arbitrary.
Tokens go to other experts than the router intended, and to others again in the next run or on another device. A rare
event becomes twice as frequent.

## Limits
Numbers that were computed in half precision are not reported, because there are no better ones to choose by.

## Example
    weights, experts = logits.softmax(-1).bfloat16().topk(8)

## Use instead
    weights, experts = logits.float().softmax(-1).topk(8)    # cast the weights afterwards
"""

from __future__ import annotations

from collections.abc import Iterator

from ..call import Call
from ..loss import Loss


def observe(call: Call) -> Iterator[Loss]:
    """Yield nothing: most choices give no numbers that round, so `choices` checks all of them."""
    del call
    yield from ()
