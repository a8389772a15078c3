"""Positions, indices or counts become a dtype that cannot tell them apart.

## What
Distinct whole numbers are converted to, or made in, a floating dtype beyond the whole numbers that it holds: 2048 in
float16, 256 in bfloat16, 16,777,216 in float32. Several become the same.

## Why
A timestep, a position or an id is a name, not a measurement: 999 that becomes 1000 is another one. Embeddings of
positions repeat, rotary angles are those of a neighbour.

## Example
    timesteps = torch.arange(1000).to(torch.bfloat16)    # 507 distinct ones are left

## Use instead
    timesteps = torch.arange(1000).to(torch.float32)     # round what is computed of them, if anything

## Fix safety
Not safe: what is computed of them is computed in a wider dtype, which is the intention.
"""

MESSAGE = "{op} rounds whole numbers: {figures}"
HELP = {
    "": "keep them in {wanted}, at {where}, and cast what is computed of them",
    "rounded": "keep the numbers that they are computed of in float32, at {origin}",
    "places": "keep the grid in float32, and cast what was sampled",
    "quotient": "divide integers by integers, at {where}: `torch.div(n, 2, rounding_mode='floor')`",
}
