"""Fractions between -1 and 1 are converted to integers, which discards them.

## What it does
Floating-point numbers between -1 and 1 are converted to an integer dtype, where only -1, 0 and 1 remain. Also reported:
small fractions written into an integer tensor, integers divided by their sum with rounding down, and whole numbers that
were computed with fractions, such as `prices * 100`: some are just below, as 28.999999999999996, and the cast makes 28
of them.

## Why is this bad?
An image that was scaled to 0…1 and cast back to uint8 is black, with a few white pixels. No error is raised.

## Example
    pixels = (image.float() / 255).to(image.dtype)       # uint8: 0 and 1

## Use instead
    pixels = image.float() / 255

## Fix safety
Not safe: the result has another dtype.
"""

MESSAGE = "{op} truncates fractions: {figures}"
HELP = {
    "": "keep {wanted}, at {where}, or scale to the integer range first: `(x * 255).round()`",
    "written": "create the target in float32: `torch.zeros(n, dtype=torch.float32)`",
    "share": "divide without rounding, at {where}: `torch.true_divide(x, y)`",
    "below": "round before the cast, at {where}: `x.round().long()`",
    "codes": "round before the cast, at {where}: `x.round().clamp(-128, 127).to(torch.int8)`",
}
