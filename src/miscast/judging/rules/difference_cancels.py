"""A difference of nearly equal numbers consists mostly of rounding error.

## What it does
Two numbers that were computed in half precision are subtracted, and the result is no larger than their rounding errors
(catastrophic cancellation). So is the difference of two integers above 2^53 in float64, as of nanoseconds since 1970,
and the solution of equations whose matrix is nearly singular, as of powers of large numbers (`run --shadow` only).

## Why is this bad?
For a small x, `1 + x - exp(x)` in bfloat16 is 0, 0.0039 or 0.0078, whatever x is.

## Example
    kl = 1 + logvar - mean.pow(2) - logvar.exp()         # bfloat16

## Use instead
    kl = 1 + logvar.float() - mean.float().pow(2) - logvar.float().exp()

## Fix safety
Not safe: the results change (they become correct).
"""

MESSAGE = "{op} leaves mostly rounding error: {figures}"
HELP = {
    "steps": "compute the numbers in float32, at {origin}, and cast only later results",
    "": "compute the terms in {wanted}, before {where}",
    "double": (
        "subtract a common offset from the terms first, before {where}",
        "compute the terms in float64, before {where}: `x.double()`",
    ),
    "variance": (
        "compute the variance in two passes, at {where}: `x.var(dim, correction=0)`",
        "subtract an offset first, before {where}: `x - x.mean(dim, keepdim=True)`",
    ),
    "log probabilities": "compute both in float32, before {where}: `F.log_softmax(x.float(), dim)`",
    "complement": (
        "compute the probabilities in float32, before {where}: `x.float().sigmoid()`",
        "compute the logarithm from the sigmoid's input, at {where}: `F.logsigmoid(-x)`",
    ),
    "rest": "compute the probabilities in float32, before {where}: `x.float().sigmoid()`",
    "log": "use log1p, at {where}: `torch.log1p(x)`",
    "exp": "use expm1, at {where}: `torch.expm1(x)`",
    "power": "compute it in {wanted}, at {where}, or sum logarithms: `p.log().sum(dim)`",
    "distances": (
        "subtract the mean from the points first, before {where}: `x - x.mean(0)`",
        (
            "do not expand the square, at {where}: `torch.cdist(x.float(), x.float(), "
            'compute_mode="donot_use_mm_for_euclid_dist")`'
        ),
    ),
    "solved": (
        "shift and scale the columns of the matrix first, before {where}: `(x - x.mean()) / x.std()`",
        "compute the matrix and the solution in float64, before {where}",
    ),
    "integers": "subtract the integers first, before {where}, and convert the difference: `(x - x[0]).double()`",
    "derivative": "use autograd's derivative, at {where}, a larger step, or float64",
}
