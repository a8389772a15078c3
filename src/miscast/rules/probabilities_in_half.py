"""A distribution is given probabilities of a half dtype, which torch refuses unless they happen to add up to 1.

## What
`torch.distributions` checks that probabilities add up to 1 within 1e-6 (torch 2.13). Half numbers near 1 are 0.0005 and
0.004 apart: of rows of three numbers after a softmax in float16 one in seventy is refused, of rows of 300 that were
divided by their sum one in five.

## Why
The program raises a ValueError at some step, by chance. Without the check it draws by probabilities that are rounded.

## Example
    pi = Categorical(probs=policy(x).softmax(-1))        # policy is half

## Use instead
    pi = Categorical(logits=policy(x).float())

## Fix safety
Not safe: other numbers, the right ones.
"""

MESSAGE = "{op}: {figures}"
HELP = {
    "": "give it logits in float32, at {where}: `torch.distributions.Categorical(logits=x.float())`",
}
