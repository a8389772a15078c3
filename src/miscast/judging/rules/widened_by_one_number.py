"""A small tensor silently promotes a large one to a wider dtype.

## What it does
A float16, bfloat16 or float32 tensor is combined with a wider tensor that has a single element but at least one
dimension, or with a small table, and the result has the wider dtype. A Python number or a zero-dimensional tensor would
not promote it. Also reported: a product with a small float32 tensor that is added to a half-precision stream and
reaches the next layer without being cast back.

Not reported: a formula computed in float32 and cast back, such as `(x * cos + turned * sin).to(x.dtype)`.

## Why is this bad?
Everything after it takes twice the memory and no longer uses the fast kernels, and the next op with half-precision
weights raises.

## Example
    scale = torch.ones(1)                                # float32, one dimension
    hidden = hidden.bfloat16() * scale                   # float32

## Use instead
    scale = torch.ones(1, dtype=hidden.dtype)            # or torch.ones(()), or a number

## Fix safety
Not safe: the result is computed in the narrower dtype, whether or not that was intended.
"""

MESSAGE = "{op} widens its result: {figures}"
HELP = {
    "": (
        "create `{operand}` in {wanted}, or give it no dimension",
        "cast the result back, after {where}: .to(torch.{wanted})",
    ),
    "joined": "cast the smaller tensor to the dtype of the larger, at {where}: `torch.cat([x.to(y.dtype), y])`",
    "stream": "cast the result back, after {where}: .to(torch.{wanted})",
}
