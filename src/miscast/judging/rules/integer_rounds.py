"""Positions, indices or counts are stored in a dtype too coarse to keep them distinct.

## What it does
Distinct whole numbers are converted to, or created in, a floating dtype that cannot represent all of them. Every whole
number is representable up to 2048 in float16, 256 in bfloat16, and 16,777,216 in float32. Above that, several become
the same number.

Also reported: `floor(x + 0.5)` in half precision of numbers that leave no room for halves. Above 128, bfloat16 rounds
129 + 0.5 to 130, and `round()` would give 129.

## Why is this bad?
A timestep, a position or an id is a label, not a measurement: a timestep of 999 that becomes 1000 is a different one.
Position embeddings repeat, and rotary angles are those of a neighbouring position.

## Example
    timesteps = torch.arange(1000).to(torch.bfloat16)    # 507 distinct values are left

## Use instead
    timesteps = torch.arange(1000).to(torch.float32)     # cast the results later, if at all

## Fix safety
Not safe: later ops compute in a wider dtype, as intended.
"""

MESSAGE = "{op} rounds whole numbers: {figures}"
HELP = {
    "": "keep them in {wanted}, at {where}, and cast later results",
    "rounded": "keep the numbers they are computed from in {wanted}, at {origin}",
    "places": "keep the grid in float32, and cast the sampled values",
    "half up": "round in float32, at {where}: `x.float().round()`",
    "quotient": "divide integers by integers, at {where}: `torch.div(n, 2, rounding_mode='floor')`",
}
