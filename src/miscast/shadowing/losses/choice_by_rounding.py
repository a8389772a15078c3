"""A choice among numbers that a cast has made equal: which of them is taken is chance.

## What
Probabilities of a router, scores of beams or of boxes are cast to half right before the best of them are picked, or
they are put in order (`topk`, `sort`, `argmax`, `kthvalue`), counted (`unique`), looked up (`searchsorted`) or
compared. Of a hundred numbers between 0.005 and 0.02 a good part is the same number in bfloat16; where the last of
those that are picked is one of several, another one might have been the best. More than a twentieth of the choices are
others than before the cast. Or uniform numbers are drawn in half and compared with a small rate: `torch.rand` in
bfloat16 is 0 once in 512 draws.

## Why
Tokens go to other experts than the router meant, and to others in the next run, on another device, or in training.
Places of a table are others, a rare event is twice as frequent as it should be.

## Not told
Numbers that were computed in half: there is nothing better to choose by.

## Example
    weights, experts = logits.softmax(-1).bfloat16().topk(8)

## Use instead
    weights, experts = logits.float().softmax(-1).topk(8)    # cast the weights behind it
"""

from __future__ import annotations

from collections.abc import Iterator

from ..call import Call
from ..loss import Loss


def observe(call: Call) -> Iterator[Loss]:
    """Most choices give no numbers that round: `choices` sees all of them."""
    del call
    yield from ()
