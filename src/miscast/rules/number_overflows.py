"""Finite numbers become infinite, or are cut off, because of their half dtype or float8.

## What
An op gives inf or nan in float16 or bfloat16 where the same numbers give finite ones in float64; or, with
`--numerics`, numbers of the typical range pass the largest one of the dtype. Or a cast to float8 cuts a tenth of what
there is off: e4m3fn saturates at 448, the others make inf or nan of it.

## Why
float16 ends at 65504: squares from 256 on, sums of a picture, norms by hand. One infinity makes a nan of all that
follows.

## Example
    variance = x.half().pow(2).mean(-1)                  # 300 squared is inf

## Use instead
    variance = x.float().pow(2).mean(-1)

## Fix safety
Not safe: other numbers, the right ones.
"""

MESSAGE = "{op} overflows: {figures}"
HELP = {
    "": "{cast}",
    "product": ("{cast}", "add up logarithms, at {where}: `p.log().sum(dim)`"),
    "made": "make it in a dtype that holds it, at {where}: `torch.full((), 1e6, dtype=torch.float32)`",
    "cast": "keep {wanted}, at {where}, or divide by a scale first: `x / x.abs().amax()`",
}
