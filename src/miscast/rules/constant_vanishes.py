"""A constant is 0 in float16, or 1 in a half dtype.

## What
A number other than 0, most often an eps, is added to a float16 tensor or bounds one, and is below half of the smallest
float16 number, 6e-8. Or a decay next to 1, as 0.9995 in bfloat16, is written down in a dtype that takes it for 1. Or
half random numbers are compared with a probability that is finer than their grid.

## Why
An eps is there so that nothing is divided by 0. 1e-8 is 0 in float16: a row of zeros, as padding is, becomes nan.

## Example
    unit = x / (x.norm(dim=-1, keepdim=True) + 1e-8)     # float16: + 0

## Use instead
    unit = x / (x.norm(dim=-1, keepdim=True) + 1e-4)     # or compute the norm in float32

## Fix safety
Not safe: a larger eps changes what is small.
"""

MESSAGE = "{op}: {figures}"
HELP = {
    "eps": (
        "{cast}",
        "use an eps that float16 holds, at {where}: `1e-4`, or `torch.finfo(x.dtype).tiny`",
    ),
    "factor": "keep it a Python number, at {where}, or a float32 tensor: `torch.full((), 0.999, dtype=torch.float32)`",
    "bound": (
        "{cast}",
        "use a bound that the dtype holds, at {where}: `1 - torch.finfo(x.dtype).eps`",
    ),
    "jitter": (
        "add at least `10 * torch.finfo(x.dtype).eps` times the diagonal, at {where}",
        "use float64, at {where}: `x.double()`",
    ),
}
