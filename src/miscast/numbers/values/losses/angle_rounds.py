"""The angle of a sine or cosine is rounded so much that its phase is wrong."""

from __future__ import annotations

from collections.abc import Iterator

import torch

from ..call import Call
from ..loss import Loss
from ..numbers import MEASURED

_OPS = frozenset({"sin", "cos", "polar", "sinc", "exp"})
_TURNS = {"exp": (frozenset({torch.complex32, torch.complex64}), torch.imag)}
"""Turns by `exp(1j * angle)`: dtypes of the operand, and which part of it is the angle."""
_OFF, _SHARE = 0.1, 0.01


def observe(call: Call) -> Iterator[Loss]:
    """Yield an operand that is off by a tenth of a radian."""
    if call.op not in _OPS or call.site.phase == "backward":
        return
    measured, part = _TURNS.get(call.op, (MEASURED, torch.abs))
    for one in call.operands:
        if one.tensor.dtype not in measured or one.record is None:
            continue
        off = part(one.low - one.wide).abs()
        culprit = one.record.source or call.site
        share = float((off > _OFF).double().mean())
        finite = share > _SHARE and bool(torch.isfinite(off).all())
        if finite and not culprit.rounds_data:
            yield call.loss(
                at=culprit,
                says=f"`{culprit.op}` in {culprit.dtype_name} makes angles wrong by up to {float(off.max()):.2g} rad "
                f"({share:.0%} of them by more than {_OFF}) before `{call.site.op}`",
                weight=share,
                also=(("its sine", call.site),),
            )
