"""`topk` picks among numbers that a cast has made equal: which of them it takes is chance.

## What
Probabilities of a router, scores of beams or of boxes are cast to half right before the best of them are picked. Of a
hundred numbers between 0.005 and 0.02 a good part is the same number in bfloat16; where the last of those that are
picked is one of several, another one might have been the best.

## Why
Tokens go to other experts than the router meant, and to others in the next run, on another device, or in training.

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
from ..numbers import HALVES, unit

HELP = {"": "choose first, and cast what was chosen: `x.topk(2).values.half()`"}
_SHARE = 0.05
_CASTS = frozenset({"to", "copy"})


def observe(call: Call) -> Iterator[Loss]:
    """Rows of which the real choice is another one than the shadow's, because of a tie."""
    if call.op != "topk" or call.site.phase == "backward":
        return
    given, picked, dim = call.operands[0], call.results[0], call.bound.get("dim", -1)
    culprit = None if given.record is None else given.record.culprit
    if given.tensor.dtype not in HALVES or culprit is None or culprit.op not in _CASTS:
        return
    if given.error > unit(given.tensor.dtype) or not given.tensor.dim():
        return
    many = picked.low.shape[dim]
    best = given.wide.topk(many, dim, call.bound.get("largest", True)).values
    chosen = picked.wide.sort(dim).values
    other = (best.sort(dim).values != chosen).any(dim)
    last = picked.low.narrow(dim, many - 1, 1)
    tied = (given.low == last).sum(dim) > (picked.low == last).sum(dim)
    share = float((other & tied).double().mean())
    if share > _SHARE:
        yield Loss(
            rule="choice-by-rounding",
            site=call.site,
            says=f"`topk` chooses among numbers that {culprit.dtype_name} has made equal: {share:.0%} of "
            f"{other.numel():,} choices are others than before the cast",
            weight=share,
            also=(("rounded", culprit),) if culprit is not call.site else (),
        )
