"""A sine or cosine of angles in a half dtype.

## What
sin, cos or tan is given float16 or bfloat16 angles so large that neighbours are more than 0.06 rad apart.

## Why
A half dtype has three digits. Of an angle of 1000 rad the digits that matter, those within the turn, are gone: rotary
and sinusoidal embeddings of far positions are noise.

## Example
    angles = torch.outer(positions.half(), inv_freq.half())
    table = angles.cos(), angles.sin()

## Use instead
    angles = torch.outer(positions.float(), inv_freq.float())
    table = angles.cos().half(), angles.sin().half()

## Fix safety
Not safe: other numbers, the right ones.
"""

MESSAGE = "{op} takes angles of a half dtype: {figures}"
HELP = {"": "compute the angles in float32, at {where}, and cast the sine and cosine"}
