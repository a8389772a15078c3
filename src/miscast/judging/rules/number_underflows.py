"""Numbers underflow to 0 in half precision, or lose precision in float8.

## What it does
An op with known operands gives only zeros in float16 or bfloat16, where float64 does not. Also reported: numbers cast
to float8 without a scale that are so small that rounding removes a sixth of their magnitude, and quantized rows of
which less than half is left, because their scale is that of larger ones. With `--numerics`, it is enough
that a product has so many factors that numbers of their usual size give 0.

## Why is this bad?
float16 has nothing between 0 and 6e-8. Products of probabilities, small steps and exponentials become 0, and a division
by their sum gives NaN.

## Example
    likelihood = chances.half().prod(-1)                 # ten factors of 0.05: 0

## Use instead
    likelihood = chances.float().log().sum(-1)           # or the product in float32

## Fix safety
Not safe: the results change (they become correct).
"""

MESSAGE = "{op} underflows: {figures}"
HELP = {
    "": "{cast}",
    "cast": "keep {wanted}, at {where}, or divide by a scale first: `x / x.abs().amax()`",
    "codes": "divide each row, or column, by its own largest number first: `x / x.abs().amax(-1, keepdim=True)`",
    "product": "sum logarithms, at {where}: `p.log().sum(dim)`",
    "gradient": (
        "scale the loss: `torch.amp.GradScaler()`",
        "use bfloat16, which has the range of float32",
    ),
}
