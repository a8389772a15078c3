"""An op makes NaN of numbers that are none, or divides by a number that is 0.

## What
0 / 0, 0 * inf and inf - inf of known numbers, a division by known numbers of which some are 0 or were rounded to 0, and
a root or logarithm of 0 that `torch.where` hides: its gradient is 0 * inf; `std` and `var` of one number. A program
that looks for nan itself (`isnan`, `nan_to_num`, `nanmean`), or chooses something else in the same lines or by the next
op (`where`, `masked_fill`), is left alone.

## Why
One nan in a loss is one in each weight after the step. A mask that multiplies -inf, a mean over a sequence that is all
padding, p * log(p) of a certain choice make one each.

## Example
    bias = (1 - keep) * float("-inf")                    # 0 * -inf where everything may be looked at

## Use instead
    bias = torch.zeros_like(keep).masked_fill(keep == 0, float("-inf"))

## Fix safety
Not safe: what the numbers are to be instead is the program's to say.
"""

MESSAGE = "{op} makes nan: {figures}"
HELP = {
    "division": "replace the zeros first, at {where}: `y.masked_fill(y == 0, 1)`",
    "product": (
        "leave the numbers out instead of multiplying by 0, at {where}: `x.masked_fill(mask, 0)`",
        "write p * log(p) as one function, at {where}: `torch.xlogy(p, p)`",
    ),
    "infinities": "use a finite number in place of -inf, before {where}: `torch.finfo(x.dtype).min`",
    "pole": "bound what {op} is given from below, at {where}: `p.clamp(min=torch.finfo(p.dtype).tiny)`",
    "rounded to 0": (
        "compute what leads here in float32, before {where}: `x.float()`",
        "use a function that does not pass through 0: `F.log_softmax(x, dim)`, `torch.logsumexp(x, dim)`",
    ),
    "log sum": "subtract the largest first, at {where}: `torch.logsumexp(x, dim)`",
    "hidden": "choose before the root or the logarithm, too: `torch.where(mask, x, 1).sqrt()`",
    "slope": (
        "add a small number first, below the root at {where}: `(x + torch.finfo(x.dtype).eps).sqrt()`",
        "keep away from the ends of the range: `x.clamp(max=1 - torch.finfo(x.dtype).eps)`",
    ),
    "spread": (
        "divide by the count, at {where}: `torch.{op}(x, dim=dim, correction=0)`",
        "give it more than one number, or leave it out for a single one",
    ),
    "rounded": "keep the divisor a Python number, or in float32, at {where}: `1 - 0.999 ** step`",
}
