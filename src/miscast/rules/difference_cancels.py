"""A difference of nearly equal half numbers is mostly their rounding.

## What
Two numbers that an op computed in a half dtype are subtracted, and what is left is of the size of what both were
rounded by.

## Why
1 + x - exp(x) of a small x is 0, 0.0039 or 0.0078 in bfloat16, whatever x is.

## Example
    kl = 1 + logvar - mean.pow(2) - logvar.exp()         # bfloat16

## Use instead
    kl = 1 + logvar.float() - mean.float().pow(2) - logvar.float().exp()

## Fix safety
Not safe: other numbers, the right ones.
"""

MESSAGE = "{op} leaves mostly rounding: {figures}"
HELP = {
    "steps": "compute the numbers in float32, at {origin}, and cast what is computed of each step",
    "": "compute the terms in {wanted}, before {where}",
    "double": (
        "subtract a common offset from the terms first, before {where}",
        "compute the terms in float64, before {where}: `x.double()`",
    ),
    "variance": (
        "take the variance in two passes, at {where}: `x.var(dim, correction=0)`",
        "subtract an offset first, before {where}: `x - x.mean(dim, keepdim=True)`",
    ),
    "log probabilities": "compute both in float32, before {where}: `F.log_softmax(x.float(), dim)`",
    "complement": (
        "compute the probabilities in float32, before {where}: `x.float().sigmoid()`",
        "take the logarithm of what a sigmoid is given, at {where}: `F.logsigmoid(-x)`",
    ),
    "rest": "compute the probabilities in float32, before {where}: `x.float().sigmoid()`",
    "log": "take the logarithm of what is added to 1, at {where}: `torch.log1p(x)`",
    "exp": "subtract 1 within the exponential, at {where}: `torch.expm1(x)`",
    "power": "compute it in {wanted}, at {where}, or add up logarithms: `p.log().sum(dim)`",
    "distances": (
        "subtract the mean from the points first, before {where}: `x - x.mean(0)`",
        'at {where}: `torch.cdist(x.float(), x.float(), compute_mode="donot_use_mm_for_euclid_dist")`',
    ),
    "derivative": "use autograd's derivative, at {where}, a larger step, or float64",
}
