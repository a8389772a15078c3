"""Integer arithmetic overflows and wraps around.

## What it does
A sum, difference or product of integers exceeds the range of its dtype: differences of uint8 images, int8 products,
flat indices in int32. If the values are known, the overflow is certain; otherwise it is estimated from the typical
range.

## Why is this bad?
torch wraps around silently: 3 - 5 is 254 in uint8.

## Example
    difference = (first - second).abs()                  # uint8

## Use instead
    difference = (first.int() - second.int()).abs()

## Fix safety
Not safe: the result has another dtype.
"""

MESSAGE = "{op} wraps around: {figures}"
HELP = {
    "": "{cast}",
    "cast": "keep {wanted}, at {where}, or clamp to the range of the dtype first: `x.clamp(0, 255)`",
}
