"""An op produces NaN from inputs without NaN, or divides by zero.

## What it does
Reports, where the values are known: 0 / 0, 0 * inf and inf - inf, a division by values that include 0 or that were
rounded to 0, and `std` or `var` of a single number. Also reported: a root or logarithm of 0 that `torch.where` hides,
because its gradient is 0 * inf.

Not reported: programs that look for NaN themselves (`isnan`, `nan_to_num`, `nanmean`), or that replace it in the same
lines or with the next op (`where`, `masked_fill`).

## Why is this bad?
One NaN in a loss makes every weight NaN after the step. Common sources are a mask that multiplies -inf, a mean over a
sequence that is all padding, and p * log(p) at p = 0.

## Example
    bias = (1 - keep) * float("-inf")                    # 0 * -inf where keep is 1

## Use instead
    bias = torch.zeros_like(keep).masked_fill(keep == 0, float("-inf"))

## Fix safety
Not safe: only the author knows which values should replace the NaN.
"""

MESSAGE = "{op} produces NaN: {figures}"
HELP = {
    "division": "replace the zeros first, at {where}: `y.masked_fill(y == 0, 1)`",
    "product": (
        "mask the numbers instead of multiplying by 0, at {where}: `x.masked_fill(mask, 0)`",
        "write p * log(p) as one function, at {where}: `torch.xlogy(p, p)`",
    ),
    "infinities": "use a finite number in place of -inf, before {where}: `torch.finfo(x.dtype).min`",
    "pole": "clamp the input of {op} from below, at {where}: `p.clamp(min=torch.finfo(p.dtype).tiny)`",
    "rounded to 0": (
        "compute its inputs in float32, before {where}: `x.float()`",
        "use a function without a 0 in between: `F.log_softmax(x, dim)`, `torch.logsumexp(x, dim)`",
    ),
    "log sum": "subtract the maximum first, at {where}: `torch.logsumexp(x, dim)`",
    "hidden": "apply `torch.where` before the root or the logarithm, too: `torch.where(mask, x, 1).sqrt()`",
    "slope": (
        "add a small number under the root, at {where}: `(x + torch.finfo(x.dtype).eps).sqrt()`",
        "keep away from the ends of the range: `x.clamp(max=1 - torch.finfo(x.dtype).eps)`",
    ),
    "spread": (
        "divide by the count, at {where}: `torch.{op}(x, dim=dim, correction=0)`",
        "pass more than one number, or skip it for a single one",
    ),
    "rounded": "keep the divisor a Python number, or in float32, at {where}: `1 - 0.999 ** step`",
}
