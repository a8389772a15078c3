"""Finite numbers overflow to infinity in half precision, or are clipped in float8.

## What it does
An op gives inf or NaN in float16 or bfloat16 although the same operands give finite results in float64. With
`--numerics`, it is enough that the typical range exceeds the largest number of the dtype. Also reported: a cast to
float8 that clips a tenth of the total, and a clip to the codes of float8 or int8, `clamp(-448, 448)`, that cuts off a
quarter of the numbers. e4m3fn saturates at 448; the other float8 dtypes give inf or NaN.

## Why is this bad?
float16 ends at 65504, which squares of 256 and more, sums over an image, and hand-written norms exceed. A single
infinity turns everything computed from it into NaN.

## Example
    variance = x.half().pow(2).mean(-1)                  # 300 squared is inf

## Use instead
    variance = x.float().pow(2).mean(-1)

## Fix safety
Not safe: the results change (they become correct).
"""

MESSAGE = "{op} overflows: {figures}"
HELP = {
    "": "{cast}",
    "product": ("{cast}", "sum logarithms, at {where}: `p.log().sum(dim)`"),
    "made": "create it in a dtype that can represent it, at {where}: `torch.full((), 1e6, dtype=torch.float32)`",
    "codes": "divide each row, or column, by its own largest number first: `x / x.abs().amax(-1, keepdim=True)`",
    "cast": "keep {wanted}, at {where}, or divide by a scale first: `x / x.abs().amax()`",
}
