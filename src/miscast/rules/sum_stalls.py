"""A long sum or product is accumulated in a dtype that is too coarse for it.

## What
A running total that an addition no longer changes; cumsum or cumprod over more terms than the dtype has steps between
a number and its double (256 in bfloat16, 2048 in float16), or the gradients of so many micro-batches summed in it.

## Why
Each addition rounds the whole sum. When a term is below half of its spacing, adding it changes nothing.

## Example
    alphas_cumprod = alphas.bfloat16().cumprod(0)        # 1000 factors: off by a third at the end

## Use instead
    alphas_cumprod = alphas.float().cumprod(0)

    total = torch.zeros((), dtype=torch.float32)         # it adds up losses of any dtype

## Fix safety
Not safe: other numbers, the right ones, in more memory.
"""

MESSAGE = "{op} accumulates too coarsely: {figures}"
HELP = {
    "": "accumulate in float32, at {where}: `x.float().{op}(dim)`",
    "total": "keep the total in float32, where it is made: `torch.zeros((), dtype=torch.float32)`",
    "float32 total": "count in integers or in float64, where it is made: `torch.zeros((), dtype=torch.float64)`",
    "places": "add up in float32, at {where}, and cast the sum: `x.float()`",
    "gradients": "keep what is trained in float32, and compute under torch.autocast",
    "product": "multiply in float32, at {where}, or add up logarithms: `p.log().sum(dim)`",
}
