"""Fractions between 0 and 1 are cast to uint8 or int8, which discards them: asked by `integer_wraps` of casts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from .. import record
from ..call import tensors

if TYPE_CHECKING:
    from ..beside import Beside

RULE = "fraction-cut-off"
_PICTURE, _CODES = 64, 4


def truncated(run: Beside, output: torch.Tensor, right: torch.Tensor) -> None:
    """Report an image in 0..1 that becomes uint8 without its factor, and so black; a mask of zeros and ones is fine."""
    if right.numel() < _PICTURE or float(right.min()) < -1 or float(right.max()) > 1:
        return
    parts = right != right.trunc()
    lost = float(parts.float().mean())
    if lost > 0.5 and float((output == 0).float().mean()) > 0.9:
        says = f"numbers between {float(right.min()):.2g} and {float(right.max()):.2g} are cast to uint8: "
        says += f"{lost:.0%} of them lose their fraction"
        run.lose(RULE, run.site(output.dtype), says, weight=lost)


def towards_zero(run: Beside, right: torch.Tensor) -> None:
    """Report a cast that truncates quantization codes: numbers of both signs, nearly all with a fraction."""
    known = [record.find(one) for one in tensors(run.args)]
    drawn = any(one is not None and one.is_drawn for one in known)
    if drawn or right.numel() < _PICTURE or not bool(torch.isfinite(right).all()):
        return
    if float(right.min()) > -_CODES or float(right.max()) < _CODES:
        return
    parts = float((right != right.trunc()).float().mean())
    if parts > 0.9:
        says = f"a cast to int8 truncates {parts:.0%} of {right.numel():,} numbers instead of rounding: they shift "
        says += "towards 0 by half a step on average, and the error doubles"
        run.lose(RULE, run.site(torch.int8), says, weight=parts, form="codes")
