"""A choice among numbers that rounding to a half dtype has made equal.

## What
topk, argsort, argmax, kthvalue, unique, searchsorted or bucketize is given numbers that differ, but for a half dtype:
scores or probabilities that were cast, steps of a schedule that was computed in half. They are the same number there,
and the choice falls among them. Likewise uniform numbers that are drawn in half and compared with a number close to
0 or 1: `torch.rand` in bfloat16 is 0 once in 512 draws. Numbers whose better values nobody has, as logits of a half
model, are not reported.

## Why
Which of equal numbers is taken is chance: tokens go to other experts than the router meant, a step of a schedule is
taken for another one, and on another device it is another one again.

## Example
    experts = logits.softmax(-1).bfloat16().topk(8).indices

## Use instead
    experts = logits.float().softmax(-1).topk(8).indices      # cast what was chosen

## Fix safety
Not safe: other numbers are chosen, the right ones.
"""

MESSAGE = "{op} chooses by rounding: {figures}"
HELP = {
    "": "choose first, and cast what was chosen: `x.topk(2).values.half()`",
    "unique": "count them before the cast, in {wanted}, at {where}: `x.float().unique()`",
    "compared": "compare before the cast, in {wanted}, at {where}",
    "drawn": "draw in float32, at {origin}: `torch.rand(8, dtype=torch.float32)`",
    "computed": "compute the numbers in float32, at {origin}, and cast what is taken of them",
}
