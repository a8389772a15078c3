"""The angle of a sine or cosine was rounded by so much that its phase is lost.

## What
Angles of rotary embeddings, timesteps and Fourier features grow to hundreds and thousands. In bfloat16 an angle of 1000
is off by up to 2, in float16 by 0.25; for a share of the elements it is off by more than 0.1.

## Why
The embedding of a far position is that of another one, or of none.

## Not told
Data that was given in a half dtype, and is multiplied by frequencies in float32.

## Example
    angle = torch.outer(positions.bfloat16(), inv_freq.bfloat16())

## Use instead
    angle = torch.outer(positions.float(), inv_freq.float())      # cast what cos and sin give
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from ..call import Call
from ..loss import Loss
from ..numbers import MEASURED

_OPS = frozenset({"sin", "cos", "polar", "sinc"})
_OFF, _SHARE = 0.1, 0.01


def observe(call: Call) -> Iterator[Loss]:
    """An operand that is off by a tenth of a radian."""
    if call.op not in _OPS or call.site.phase == "backward":
        return
    for one in call.floats():
        if (
            one.tensor.dtype not in MEASURED
            or one.record is None
            or one.record.wide is None
        ):
            continue
        off = (one.low - one.wide).abs()
        share = float((off > _OFF).double().mean())
        if share > _SHARE and bool(torch.isfinite(off).all()):
            culprit = one.record.source or call.site
            if culprit.rounds_data:
                continue
            yield Loss(
                rule="angle-rounds",
                site=culprit,
                says=f"`{culprit.op}` in {culprit.dtype_name} puts angles off by up to {float(off.max()):.2g} radians, "
                f"{share:.0%} of them by more than {_OFF}, before `{call.site.op}`",
                weight=share,
                also=(("its sine", call.site),) if culprit is not call.site else (),
            )
