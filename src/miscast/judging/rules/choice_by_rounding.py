"""A choice such as topk or argmax is made among numbers that rounding has made equal.

## What it does
`topk`, `argsort`, `argmax`, `kthvalue`, `unique`, `searchsorted` or `bucketize` gets numbers that were different
before they were rounded to half precision: scores or probabilities that were cast, or the steps of a schedule that
was computed in half precision. So does a comparison with one of the numbers, such as `x == x.max()`. Also reported:
uniform random numbers drawn in half precision and compared with a number close to 0 or 1, or whose logarithm is taken.
`torch.rand` in bfloat16 returns 0 once in 512 draws.

Not reported: numbers that were never available in higher precision, such as the logits of a half-precision model.

## Why is this bad?
Which of the equal numbers is chosen is arbitrary and differs between devices. Tokens go to other experts than the
router intended, and one step of a schedule is taken for another.

## Example
    experts = logits.softmax(-1).bfloat16().topk(8).indices

## Use instead
    experts = logits.float().softmax(-1).topk(8).indices      # choose first, then cast

## Fix safety
Not safe: other elements are chosen (the correct ones).
"""

MESSAGE = "{op} is decided by rounding: {figures}"
HELP = {
    "": "choose first, then cast the result: `x.topk(2).values.half()`",
    "unique": "count them before the cast, in {wanted}, at {where}: `x.float().unique()`",
    "compared": "compare before the cast, in {wanted}, at {where}",
    "drawn": "draw in float32, at {origin}: `torch.rand(8, dtype=torch.float32)`",
    "computed": "compute the numbers in {wanted}, at {origin}, and cast the chosen ones",
}
