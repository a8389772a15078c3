"""A product of many small numbers, which is below the smallest number of its dtype."""

from __future__ import annotations

import math

import torch

from ..loss import PRECISION, Lost, short, spacing, spelled
from ..seen import Seen

OPS = frozenset({"prod", "cumprod"})
WIDENS = True


def find(seen: Seen) -> Lost | None:
    """Return a precision loss if a product of known non-zero factors is 0."""
    values, factors, dtype = seen.known("out"), seen.known("self"), seen.dtype
    if dtype not in PRECISION:
        return None
    if values is None or factors is None or factors.is_complex():
        return _usually(seen, dtype)
    powers, dim = factors.double().abs().log10(), seen.given.get("dim")
    if seen.name == "cumprod":
        powers = powers.cumsum(int(dim or 0))
    else:
        powers = powers.sum() if dim is None else powers.sum(dim)
    lost = powers.isfinite() & (values.reshape(powers.shape) == 0)
    if not bool(lost.any()):
        return None
    return Lost(
        rule="number-underflows",
        form="product",
        figures=f"{int(lost.sum())} of {values.numel()} products become 0 in {short(dtype)}, the largest would be "
        f"1e{spelled(powers[lost].max().floor().item())}",
    )


def _usually(seen: Seen, dtype: torch.dtype) -> Lost | None:
    """Return a precision loss by the usual size of factors, which is no less than their geometric mean."""
    x, tensor, out = seen.moments("self"), seen.tensor("self"), seen.tensor("out")
    if (
        seen.name != "prod"
        or x is None
        or tensor is None
        or out is None
        or x.whole
        or not 0 < x.rms < 1
    ):
        return None
    power = math.log10(x.rms) * tensor.numel() / max(out.numel(), 1)
    if power > math.log10(spacing(0.0, dtype)):
        return None
    return Lost(
        rule="number-underflows",
        form="product",
        figures=f"products of numbers of about {spelled(x.rms)} are 0 in {short(dtype)}: they would be 1e{power:.0f}",
    )
