"""A formula that torch has as a function ends in inf or nan, and the function does not.

## What
`check --numerics` sees the logarithm of a softmax, of a sigmoid or of 1 - sigmoid, log(1 + exp(x)), or a softmax by
hand that does not subtract the largest first, in float32. It is a hint, and changes no exit code: nothing says that the
numbers get so far. What is bounded first is left alone: `clamp`, an eps that is added, x - x.max(), -|x|.

## Why
In float32 exp(89) is inf, and a sigmoid of 17 is 1. A network that has become sure of itself, or one outlier among the
data, makes the loss infinite and the gradients nan.

## Example
    loss = -(y * h.log() + (1 - y) * (1 - h).log()).mean()   # h is a sigmoid

## Use instead
    loss = F.binary_cross_entropy_with_logits(x, y)          # x is what the sigmoid is given

## Fix safety
Not safe: the function takes what the softmax or the sigmoid was given.
"""

MESSAGE = "{op}: {figures}"
HELP = {
    "log softmax": "`F.log_softmax(x, dim)` of what the softmax is given, or `F.cross_entropy`",
    "log sigmoid": "`F.logsigmoid(x)` of what the sigmoid is given, or `F.binary_cross_entropy_with_logits`",
    "log chance left": "`F.logsigmoid(-x)` of what the sigmoid is given, or `F.binary_cross_entropy_with_logits`",
    "softplus": "`F.softplus(x)`",
    "softmax": "`x.softmax(dim)`, or `(x - x.max()).exp()` first",
}
SEVERITY = dict.fromkeys(HELP, "hint")
