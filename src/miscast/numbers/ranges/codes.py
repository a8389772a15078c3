"""Numbers that are quantized: what the end of their codes cuts off, and rows that one scale for all leaves nothing of.

q = (keys / keys.abs().amax() * 7).round()       # 4 bits: one channel of outliers, and all others become 0
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch

from .loss import EIGHTS

if TYPE_CHECKING:
    from collections.abc import Callable

_FLOATS = {torch.finfo(dtype).max: str(dtype)[6:] for dtype in sorted(EIGHTS, key=str)}
CODES = {**_FLOATS, 127: "int8", 15: "uint4", 7: "int4", 6: "float4"}
"""By their largest number, dtypes that numbers are quantized to."""
SHORT = frozenset({15, 7, 6})
"""Ends that other numbers have, too: they are those of codes if what they bound is rounded."""
_NEAR, _ALIKE = 1e-3, 0.02
_CUT, SHARE = 0.1, 0.25
"""Share of the size of all numbers, and of the numbers, that a scale of others cuts off; 13 % may be meant."""
_ROWS, _MANY, _HALF, _OF_ALL = 0.5, 8, 0.25, 0.005
"""Share of rows that are lost, of at least so many; of their squares as much is error; and they are no rest of 0."""


def cut_off(
    values: torch.Tensor, kept: torch.Tensor, share: float = SHARE
) -> tuple[float, float] | None:
    """Return the share of finite numbers that are not kept, and of their size; None if that is not much.

    An infinity is none of them: it is lost already, whatever a cast makes of it (448, infinity or NaN, by the dtype).
    """
    finite = values.isfinite()
    whole, cut = values[finite].double(), (values.double() - kept.double())[finite]
    size = float(cut.norm()) / (float(whole.norm()) or 1.0)
    parts = int(cut.count_nonzero()) / max(values.numel(), 1)
    return (parts, size) if size >= _CUT and parts >= share else None


def coarse(values: torch.Tensor, codes: torch.Tensor) -> tuple[int, int] | None:
    """Return how many rows along one dimension codes leave less than half of, and of how many; None if that are few."""
    values, codes = values.double(), codes.double()
    if values.shape != codes.shape or not bool(
        values.isfinite().all() & codes.isfinite().all()
    ):
        return None
    signed, least = bool((values < 0).any()), _OF_ALL**2 * float(values.square().sum())
    for dim in range(values.dim() if values.dim() > 1 else 0):
        rows = values.movedim(dim, 0).flatten(1)
        if min(rows.shape) < _MANY:
            continue
        size = (rows if signed else rows - rows.mean(1, keepdim=True)).square().sum(1)
        off = (codes.movedim(dim, 0).flatten(1) - rows).square().sum(1)
        lost = (off > _HALF * size) & (size > 0)
        if float(lost.double().mean()) >= _ROWS and float(size[lost].sum()) >= least:
            return int(lost.sum()), len(rows)
    return None


def ends(number: Callable[[str], float | None]) -> tuple[float, float, float] | None:
    """Return where a clip begins and ends, and the last code of its dtype; None of a clip to other numbers."""
    least, end = number("min"), number("max")
    last = -(least or 0.0) if end is None else end
    last -= end is None and last not in CODES  # from -128 on
    if last not in CODES or (least is not None and last not in SHORT and least > -last):
        return None
    most = math.inf if end is None else end
    return -math.inf if least is None else least, most, last


def other_axis(
    values: torch.Tensor, scales: torch.Tensor, op: str
) -> tuple[int, int] | None:
    """Return of which dimension scales are the largest numbers, and along which others they divide; else None."""
    lying = [dim for dim in range(-scales.dim(), 0) if scales.shape[dim] > 1]
    along = values.dim() + lying[0] if len(lying) == 1 else -1
    if along < 0 or scales.numel() < _MANY:
        return None
    found = [d for d in range(values.dim()) if _are_of(scales, values, d, op)]
    return (found[0], along) if found and along not in found else None


def _are_of(scales: torch.Tensor, values: torch.Tensor, dim: int, op: str) -> bool:
    """Check whether scales are the largest numbers of a dimension over one number, or one number over them."""
    if values.shape[dim] != scales.numel():
        return False
    most = values.double().abs().movedim(dim, 0).reshape(scales.numel(), -1).amax(1)
    ratio = scales.double().flatten() * most.pow(-1 if op == "div" else 1)
    return float(ratio.max() - ratio.min()) <= _ALIKE * float(ratio.abs().max())


def has_last_code(values: torch.Tensor) -> bool:
    """Check whether the largest number is the last code of a dtype, as by `x / (x.abs().amax() / 7)`."""
    most = float(values.abs().max()) if values.numel() else 0.0
    return any(abs(most - end) <= _NEAR * end for end in CODES)
