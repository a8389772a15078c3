"""Numbers are all 0 because of their half dtype, or multiples of the smallest one of float8.

## What
An op whose operands are known gives nothing but zeros in float16 or bfloat16, where the same numbers give others in
float64. Or numbers are cast to float8 that are so small that a sixth of their size is rounded off: no scale came first.

## Why
float16 has nothing between 0 and 6e-8: products of probabilities, small steps, exponentials vanish as a whole, and
what is divided by their sum is nan.

## Example
    likelihood = chances.half().prod(-1)                 # ten factors of 0.05: 0

## Use instead
    likelihood = chances.float().log().sum(-1)           # or the product in float32

## Fix safety
Not safe: other numbers, the right ones.
"""

MESSAGE = "{op} underflows: {figures}"
HELP = {
    "": "{cast}",
    "cast": "keep {wanted}, at {where}, or divide by a scale first: `x / x.abs().amax()`",
    "product": "add up logarithms, at {where}: `p.log().sum(dim)`",
    "gradient": (
        "scale the loss: `torch.amp.GradScaler()`",
        "use bfloat16, which has the range of float32",
    ),
}
