"""A constant rounds to 0 in float16, or to 1 in half precision.

## What it does
A nonzero constant, usually an eps, is added to a float16 tensor or bounds it, and is below half of the smallest float16
number, 6e-8. Also reported: a decay close to 1, such as 0.9995, stored in a dtype in which it rounds to 1; random
numbers in half precision that are compared with a probability finer than their resolution; and a comparison with a
bound that rounds to 1.

## Why is this bad?
An eps prevents division by 0. In float16, 1e-8 is 0, so a row of zeros (padding, for example) becomes NaN.

## Example
    unit = x / (x.norm(dim=-1, keepdim=True) + 1e-8)     # float16: adds 0

## Use instead
    unit = x / (x.norm(dim=-1, keepdim=True) + 1e-4)     # or compute the norm in float32

## Fix safety
Not safe: a larger eps changes small values.
"""

MESSAGE = "{op}: {figures}"
HELP = {
    "eps": (
        "{cast}",
        "use an eps that float16 can represent, at {where}: `1e-4`, or `torch.finfo(x.dtype).tiny`",
    ),
    "factor": "keep it a Python number, at {where}, or a float32 tensor: `torch.full((), 0.999, dtype=torch.float32)`",
    "bound": (
        "{cast}",
        "use a bound that the dtype can represent, at {where}: `1 - torch.finfo(x.dtype).eps`",
    ),
    "jitter": (
        "add at least `10 * torch.finfo(x.dtype).eps` times the diagonal, at {where}",
        "use float64, at {where}: `x.double()`",
    ),
}
