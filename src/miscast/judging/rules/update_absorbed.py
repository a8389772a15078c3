"""An update is too small to change the tensor.

## What it does
A number that is added to a tensor, or one step of a moving average, is below half of the spacing of the dtype: averages
(EMA) with a decay of 0.999 and more in bfloat16, counters, schedules.

## Why is this bad?
Neighbouring bfloat16 numbers are 0.4 to 0.8 % apart. A step of 0.1 % rounds back to the old value every time: the
average never changes.

## Example
    average.lerp_(weight, 1e-4)                          # bfloat16: nothing changes

## Use instead
    average = weight.float().clone()                     # the average in float32
    average.lerp_(weight.float(), 1e-4)

## Fix safety
Not safe: the tensor gets another dtype, and its values change.
"""

MESSAGE = "{op} changes nothing: {figures}"
HELP = {
    "": "keep the updated tensor in {wanted}, where it is created",
    "average": "keep the average in float32: create it as `x.detach().float().clone()` of each parameter",
    "statistics": "keep the layer in float32 (it accepts half-precision inputs under autocast): `norm.float()`",
    "weights": "keep the weights in float32 and compute under torch.autocast, or round stochastically",
    "once": "add it in float32 and keep the result in float32, or keep the change separate from the weights",
}
