"""Fractions between -1 and 1 become integers, which hold none.

## What
Floating-point numbers that all lie between -1 and 1 are converted to an integer dtype: nothing but the ends of the
range is left. Small fractions are put into a tensor of integers. Or integers are divided by their sum, rounded down.

## Why
A picture that was scaled to 0 … 1 and cast back to the dtype of its bytes is black, with some white in it. Nothing
raises.

## Example
    pixels = (image.float() / 255).to(image.dtype)       # uint8: 0 and 1

## Use instead
    pixels = image.float() / 255

## Fix safety
Not safe: the result has another dtype.
"""

MESSAGE = "{op} cuts fractions off: {figures}"
HELP = {
    "": "keep {wanted}, at {where}, or scale to the integers first: `(x * 255).round()`",
    "written": "make what is written to in float32: `torch.zeros(n, dtype=torch.float32)`",
    "share": "divide without rounding, at {where}: `torch.true_divide(x, y)`",
    "codes": "round before the cast, at {where}: `x.round().clamp(-128, 127).to(torch.int8)`",
}
