"""A sine or cosine of angles that a half dtype has rounded.

## What
sin, cos or tan is given float16 or bfloat16 angles so large that neighbours are more than 0.06 rad apart. Or the angles
are float32, and computed of numbers that were float16 or bfloat16 before, so that they are off by 0.25 rad and more:
frequencies in a buffer that `model.to(torch.bfloat16)` casts, angles that FSDP casts on their way into a module.

## Why
A half dtype has three digits. Of an angle of 1000 rad the digits that matter, those within the turn, are gone: rotary
and sinusoidal embeddings of far positions are noise. `.float()` does not bring the digits back.

## Example
    angles = torch.outer(positions.half(), inv_freq.half())
    table = angles.cos(), angles.sin()

## Use instead
    angles = torch.outer(positions.float(), inv_freq.float())
    table = angles.cos().half(), angles.sin().half()

## Fix safety
Not safe: other numbers, the right ones.
"""

MESSAGE = "{op} takes rounded angles: {figures}"
HELP = {
    "": "compute the angles in float32, at {where}, and cast the sine and cosine",
    "rounded": (
        "keep these numbers in float32, at {origin}, and cast the sine and cosine",
        "compute the frequencies anew in float32 where the angles are computed",
    ),
    "policy": (
        "leave the arguments of the module as they are: MixedPrecisionPolicy with cast_forward_inputs=False",
        "compute the angles within the module that FSDP wraps, in float32",
    ),
}
