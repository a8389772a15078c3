"""A loss is computed in a half dtype.

## What
A loss function gives its one number in float16 or bfloat16, outside of autocast; or a logarithm is taken of
probabilities that a softmax gave in a half dtype.

## Why
Such a loss has two or three digits, and probabilities below 6e-8 are 0 in float16: their logarithm is -inf.
torch.autocast computes losses in float32 for this reason.

## Example
    loss = F.cross_entropy(logits, target)               # bfloat16 logits: 18.0, not 18.035

## Use instead
    loss = F.cross_entropy(logits.float(), target)

## Fix safety
Not safe: other numbers, the right ones; the float32 copy of the logits takes memory.
"""

MESSAGE = "{op} in a half dtype: {figures}"
HELP = {
    "": "{cast}",
    "log": "take both in one function, in float32, at {where}: `F.log_softmax(x.float(), dim)`",
}
