"""A hand-written formula can overflow where torch's own function does not.

## What it does
With `check --numerics`, reports the logarithm of a softmax, of a sigmoid or of 1 - sigmoid, `log(1 + exp(x))`, and a
softmax that does not subtract the maximum first, all in float32. It is a hint and does not change the exit code, since
the values may never get that large. Formulas that are bounded first are not reported: `clamp`, an added eps, `x -
x.max()`, `-|x|`.

## Why is this bad?
In float32, exp(89) is inf, and a sigmoid of 17 is 1. A very confident network, or one outlier in the data, makes the
loss infinite and the gradients NaN.

## Example
    loss = -(y * h.log() + (1 - y) * (1 - h).log()).mean()   # h is a sigmoid

## Use instead
    loss = F.binary_cross_entropy_with_logits(x, y)          # x is the input of the sigmoid

## Fix safety
Not safe: the function takes the input of the softmax or sigmoid.
"""

MESSAGE = "{op}: {figures}"
HELP = {
    "log softmax": "use `F.log_softmax(x, dim)` on the input of the softmax, or `F.cross_entropy`",
    "log sigmoid": "use `F.logsigmoid(x)` on the input of the sigmoid, or `F.binary_cross_entropy_with_logits`",
    "log chance left": "use `F.logsigmoid(-x)` on the input of the sigmoid, or `F.binary_cross_entropy_with_logits`",
    "softplus": "use `F.softplus(x)`",
    "softmax": "use `x.softmax(dim)`, or `(x - x.max()).exp()`",
}
SEVERITY = dict.fromkeys(HELP, "hint")
