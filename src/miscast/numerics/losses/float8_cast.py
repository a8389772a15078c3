"""Casts to float8, without a scale, of numbers that are cut off, become infinite or NaN, or keep a bit or two.

Also a clip to the codes of float8 or int8 that cuts off many numbers, as after a scale along the wrong axis.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch

from ..loss import CODES, CODES_CUT, EIGHTS, Lost, short, spelled
from ..seen import CASTS, Seen, numbers

if TYPE_CHECKING:
    from ...moments import Moments

OPS = CASTS | {"copy", "clamp"}
PLAIN = True
WIDENS = True
_CUT, _COARSE = 0.1, 0.15
"""Reported errors as shares of the norm of all values. Rounding alone costs 0.03 or 0.05."""
_SIGMAS = 2.0
"""A dtype that ends so many sizes from 0 cuts off a tenth of the norm of normal numbers at most."""


def find(seen: Seen) -> Lost | None:
    """Return what the result leaves of the numbers, where they are known; else by their usual size."""
    if seen.name == "clamp":
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
    values, least, end = seen.known("self"), seen.number("min"), seen.number("max")
    if values is None or least is None or end not in CODES or least > -end:
        return None
    share = float((values.abs() > -least).double().mean())
    whole, cut = float(values.norm()), values - values.clamp(least, end)
    if share < CODES_CUT or float(cut.norm()) < _CUT * whole:
        return None
    most = spelled(float(values.abs().max()))
    figures = f"numbers reach {most}, but codes of {CODES[end]} end at {spelled(end)}: {share:.0%} are beyond"
    return Lost(rule="number-overflows", form="codes", figures=figures)


def _known(values: torch.Tensor, dtype: torch.dtype, operand: str) -> Lost | None:
    whole = float(values.norm())
    if not 0 < whole < float("inf"):
        return None
    end = torch.finfo(dtype).max
    kept = values.clamp(-end, end)
    share = int((values.abs() > end).sum()) / values.numel()
    if float((values - kept).norm()) >= _CUT * whole:
        return _cut_off(
            dtype, float(values.abs().max()), operand, f": {share:.0%} are beyond"
        )
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
        f"{spelled(info.smallest_normal * info.eps)} in "
        f"{short(dtype)}",
    )
