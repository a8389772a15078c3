"""A loss is computed in half precision.

## What it does
A loss function returns its scalar in float16 or bfloat16 outside autocast, or a logarithm is taken of probabilities
from a half-precision softmax.

## Why is this bad?
Such a loss has two or three significant digits. Probabilities below 3e-8 are 0 in float16, and their logarithm is -inf.
torch.autocast computes losses in float32 for this reason.

## Example
    loss = F.cross_entropy(logits, target)               # bfloat16 logits: 18.0, not 18.035

## Use instead
    loss = F.cross_entropy(logits.float(), target)

## Fix safety
Not safe: the results change (they become more precise), and the float32 copy of the logits takes memory.
"""

MESSAGE = "{op} in half precision: {figures}"
HELP = {
    "": "{cast}",
    "log": "compute both in one function, in float32, at {where}: `F.log_softmax(x.float(), dim)`",
}
