"""A torch distribution gets half-precision probabilities, which it may reject because they do not sum to 1.

## What it does
`torch.distributions` checks that probabilities sum to 1 within 1e-6 (torch 2.13). Near 1, neighbouring numbers are
0.0005 apart in float16 and 0.004 in bfloat16. One in seventy rows of three numbers after a float16 softmax is rejected,
and one in five rows of 300 numbers that were divided by their sum.

## Why is this bad?
The program raises a ValueError at some random step. Without the check it samples from rounded probabilities.

## Example
    pi = Categorical(probs=policy(x).softmax(-1))        # policy is in half precision

## Use instead
    pi = Categorical(logits=policy(x).float())

## Fix safety
Not safe: the results change (they become more precise).
"""

MESSAGE = "{op}: {figures}"
HELP = {
    "": "pass float32 logits, at {where}: `torch.distributions.Categorical(logits=x.float())`"
}
