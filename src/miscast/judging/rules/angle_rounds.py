"""A sine or cosine is taken of angles that half precision has rounded.

## What it does
`sin`, `cos` or `tan` gets float16 or bfloat16 angles so large that neighbouring values of the dtype are more than 0.06
rad apart. Also reported: float32 angles that were computed from float16 or bfloat16 numbers and are therefore off by
0.25 rad or more, for example from a frequency buffer that `model.to(torch.bfloat16)` casts, or from angles that FSDP
casts when they enter a module. The same goes for phases, `t % period`: times far from 0, such as Julian dates or
seconds since 1970, are rounded by a part of the period when they become float32.

## Why is this bad?
Half precision has about three significant digits. For an angle of 1000 rad these digits do not reach the part that
matters, the position within one turn. The rotary or sinusoidal embeddings of distant positions become noise, and a
later `.float()` does not restore them.

## Example
    angles = torch.outer(positions.half(), inv_freq.half())
    table = angles.cos(), angles.sin()

## Use instead
    angles = torch.outer(positions.float(), inv_freq.float())
    table = angles.cos().half(), angles.sin().half()

## Fix safety
Not safe: the results change (they become correct).
"""

MESSAGE = "{op} takes rounded angles: {figures}"
HELP = {
    "": "compute the angles in float32, at {where}, and cast the sine and cosine",
    "rounded": (
        "keep these numbers in {wanted}, at {origin}, and cast the sine and cosine",
        "recompute the frequencies in float32 where the angles are computed",
    ),
    "policy": (
        "keep the dtype of the module's arguments: MixedPrecisionPolicy with cast_forward_inputs=False",
        "compute the angles in float32 inside the module that FSDP wraps",
    ),
    "phase": (
        "keep these numbers in {wanted}, at {origin}, and cast the phase",
        "subtract a time near them in {wanted} before they are cast, at {origin}",
    ),
}
