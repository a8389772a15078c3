"""An update is so small that it changes nothing.

## What
What is added to a tensor, or the way that an average goes, is below half of the distance to the next number of its
dtype: averages (EMA) with a decay of 0.999 and more in bfloat16, counters, schedules.

## Why
A bfloat16 number has neighbours 0.4 to 0.8 % apart. A step of 0.1 % of the way rounds back to where it was, each time:
the average stands still for ever.

## Example
    average.lerp_(weight, 1e-4)                          # bfloat16: nothing moves

## Use instead
    average = weight.float().clone()                     # the average in float32
    average.lerp_(weight.float(), 1e-4)

## Fix safety
Not safe: the tensor gets another dtype, and moves.
"""

MESSAGE = "{op} changes nothing: {figures}"
HELP = {
    "": "keep what is updated in {wanted}, where it is made",
    "average": "keep the average in float32, where it is made: `x.detach().float().clone()`",
    "statistics": "keep the layer in float32, which autocast gives half inputs: `norm.float()`",
    "weights": "keep the weights in float32 and compute under torch.autocast, or round stochastically",
    "once": "add it in float32 and keep the sum there, or leave the change beside the weights",
}
