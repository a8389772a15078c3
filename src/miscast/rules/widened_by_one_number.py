"""One number makes a large tensor wider without a word.

## What
A float16 or bfloat16 tensor (or a float32 one) meets a wider tensor of one element that has a dimension, or a small
table, and the result is as wide. A Python number or a tensor without dimensions would not do that. Or a product with
something small that is float32 is added to a half stream, and goes to the next layer without being cast back. A
formula that is computed in float32 and cast back is meant: `(x * cos + turned * sin).to(x.dtype)`.

## Why
From there on everything takes twice the memory and leaves the fast kernels, and what meets half weights next raises.

## Example
    scale = torch.ones(1)                                # float32, one dimension
    hidden = hidden.bfloat16() * scale                   # float32

## Use instead
    scale = torch.ones(1, dtype=hidden.dtype)            # or torch.ones(()), or a number

## Fix safety
Not safe: the result is computed in the narrower dtype, as was meant or not.
"""

MESSAGE = "{op} widens its result: {figures}"
HELP = {
    "": (
        "give `{operand}` the dtype of the other, where it is made, or no dimension",
        "cast the result back, after {where}: .to(torch.{wanted})",
    ),
    "joined": "cast the few to the dtype of the many, at {where}: `torch.cat([x.to(y.dtype), y])`",
    "stream": "cast the result back, after {where}: .to(torch.{wanted})",
}
