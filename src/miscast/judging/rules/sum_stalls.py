"""A long sum or product is accumulated in a dtype too coarse for it.

## What it does
Reports a running total that an addition no longer changes; `cumsum` or `cumprod` over too many terms for the dtype (a
sum of equal terms stops growing after 256 terms in bfloat16 and 2048 in float16); and gradients that are
accumulated in that dtype over as many micro-batches.

## Why is this bad?
Each addition rounds the whole sum. Adding a term below half of the sum's spacing changes nothing.

## Example
    alphas_cumprod = alphas.bfloat16().cumprod(0)        # 1000 factors: off by a third at the end

## Use instead
    alphas_cumprod = alphas.float().cumprod(0)

    total = torch.zeros((), dtype=torch.float32)         # adds up losses of any dtype

## Fix safety
Not safe: the results change (they become correct) and take more memory.
"""

MESSAGE = "{op} accumulates in too coarse a dtype: {figures}"
HELP = {
    "": "accumulate in float32, at {where}: `x.float().{op}(dim)`",
    "total": "keep the total in float32, where it is created: `torch.zeros((), dtype=torch.float32)`",
    "float32 total": "count in integers or in float64, where it is created: `torch.zeros((), dtype=torch.float64)`",
    "places": "sum in float32, at {where}, and cast the sum: `x.float()`",
    "gradients": "keep trained parameters in float32, and compute under torch.autocast",
    "product": "multiply in float32, at {where}, or sum logarithms: `p.log().sum(dim)`",
}
