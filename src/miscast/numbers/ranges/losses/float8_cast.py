"""Casts to float8, without a scale, of numbers that are cut off, become infinite or NaN, or keep a bit or two.

Also a clip to codes that cuts off many numbers, as after a scale along the wrong axis, and rows that are rounded away.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import torch

from ..codes import CODES, SHARE, SHORT, coarse, cut_off, ends, has_last_code
from ..loss import EIGHTS, Lost, short, spelled
from ..seen import CASTS, Seen, numbers

if TYPE_CHECKING:
    from ....core.moments import Moments

OPS = CASTS | {"copy", "clamp", "clamp_min", "clamp_max", "round"}
PLAIN = True
WIDENS = True
_COARSE = 0.15
"""Reported errors as shares of the norm of all values. Rounding alone costs 0.03 or 0.05."""
_SIGMAS = 2.0
"""A dtype that ends so many sizes from 0 cuts off a tenth of the norm of normal numbers at most."""


def find(seen: Seen) -> Lost | None:
    """Return what the result leaves of the numbers, where they are known; else by their usual size."""
    if seen.name == "round":
        return _rounded(seen)
    if seen.name.startswith("clamp"):
        return _clipped(seen)
    name = "src" if seen.name == "copy" else "self"
    tensor, out = seen.tensor(name), seen.tensor("out")
    if (
        tensor is None
        or out is None
        or out.dtype not in EIGHTS
        or not tensor.is_floating_point()
    ):
        return None
    if tensor.dtype in EIGHTS:
        return None
    values = numbers(tensor)
    if values is None:
        return _usually(seen.moments(name), out.dtype, name)
    return _known(values.float(), out.dtype, name)


def _clipped(seen: Seen) -> Lost | None:
    values, found = seen.known("self"), ends(seen.number)
    if values is None or found is None:
        return None
    least, end, last = found
    part = SHARE / (1 + math.isinf(end - least))
    lost = cut_off(values, values.clamp(least, end), share=part)
    if lost is None or (last in SHORT and bool(values.frac().any())):
        return None
    most = spelled(float(values.abs().max()))
    figures = f"numbers reach {most}, but codes of {CODES[last]} end at {spelled(last)}: {lost[0]:.0%} are beyond"
    return Lost(rule="number-overflows", form="codes", figures=figures)


def _rounded(seen: Seen) -> Lost | None:
    """Return rows of which codes leave less than half, of numbers that were scaled for codes."""
    values, out = seen.known("self"), seen.known("out")
    if values is None or out is None or seen.made_by("self") not in ("div", "mul"):
        return None
    lost = coarse(values, out) if has_last_code(values) else None
    if lost is None:
        return None
    figures = f"codes keep less than half of {lost[0]} of {lost[1]} rows, whose scale is that of larger numbers"
    return Lost(rule="number-underflows", form="codes", figures=figures)


def _known(values: torch.Tensor, dtype: torch.dtype, operand: str) -> Lost | None:
    end, whole = torch.finfo(dtype).max, float(values.norm())
    kept = values.clamp(-end, end)
    lost = cut_off(values, kept, share=0.0)
    if lost is not None:
        most = float(values.abs().max())
        return _cut_off(dtype, most, operand, f": {lost[0]:.0%} are beyond")
    if not 0 < whole < float("inf"):
        return None
    if float((kept.to(dtype).float() - kept).norm()) >= _COARSE * whole:
        return _too_small(dtype, whole / values.numel() ** 0.5, operand)
    return None


def _usually(found: Moments | None, dtype: torch.dtype, operand: str) -> Lost | None:
    if found is None or found.constant() or not found.rms:
        return None
    info = torch.finfo(dtype)
    if found.rms * _SIGMAS > info.max and found.most > info.max:
        return _cut_off(dtype, max(map(abs, found.typical())), operand)
    if found.rms < 2 * info.smallest_normal * info.eps:
        return _too_small(dtype, found.rms, operand)
    return None


def _cut_off(dtype: torch.dtype, most: float, operand: str, share: str = "") -> Lost:
    return Lost(
        rule="number-overflows",
        form="cast",
        operand=operand,
        figures=f"numbers reach {spelled(most)}, but {short(dtype)} ends at {spelled(torch.finfo(dtype).max)}{share}",
    )


def _too_small(dtype: torch.dtype, size: float, operand: str) -> Lost:
    info = torch.finfo(dtype)
    return Lost(
        rule="number-underflows",
        form="cast",
        operand=operand,
        figures=f"numbers of about {spelled(size)} are rounded to multiples of "
        f"{spelled(info.smallest_normal * info.eps)} in {short(dtype)}",
    )
