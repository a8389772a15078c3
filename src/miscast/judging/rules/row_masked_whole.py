"""A softmax gets a row in which every score is masked with -inf.

## What it does
All scores of a softmax row are -inf. (torch's own attention returns 0 for such a row.)

## Why is this bad?
The softmax of a row of -inf is 0 / 0: the whole row is NaN, and backward spreads it to everything that it was computed
from.

## Example
    weights = scores.masked_fill(padding, float("-inf")).softmax(-1)   # a sample of padding only

## Use instead
    weights = scores.masked_fill(padding, torch.finfo(scores.dtype).min).softmax(-1)

## Fix safety
Not safe: a fully masked row gets equal weights instead of NaN, and must be masked in the loss.
"""

MESSAGE = "{op} gives NaN: {figures}"
HELP = {
    "": (
        "mask with a finite number instead of -inf, before {where}: `torch.finfo(x.dtype).min`",
        "drop rows that are fully masked",
    ),
    "joined": "combine the masks as bools and fill once, at {where}: `x.masked_fill(mask, torch.finfo(x.dtype).min)`",
}
