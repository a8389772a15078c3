"""A row of scores is masked throughout.

## What
A softmax is given a row of which every score is -inf. (torch's own attention gives 0 for such a row.)

## Why
The softmax of nothing but -inf is 0 / 0: nan, for the whole row, and in backward for all that it touches.

## Example
    weights = scores.masked_fill(padding, float("-inf")).softmax(-1)   # a sample of padding only

## Use instead
    weights = scores.masked_fill(padding, torch.finfo(scores.dtype).min).softmax(-1)

## Fix safety
Not safe: an empty row becomes a mean of all instead of nan; it is to be masked in the loss.
"""

MESSAGE = "{op} gives nan: {figures}"
HELP = {
    "": (
        "mask with a finite number instead of -inf, before {where}: `torch.finfo(x.dtype).min`",
        "leave out the rows that have nothing",
    ),
    "joined": "join the masks as bools and fill once, at {where}: `x.masked_fill(mask, torch.finfo(x.dtype).min)`",
}
