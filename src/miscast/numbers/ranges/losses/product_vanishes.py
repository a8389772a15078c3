"""A product of many small numbers, which is below the smallest number of its dtype."""

from __future__ import annotations

from ..loss import Lost, short, spelled
from ..seen import Seen

OPS = frozenset({"prod", "cumprod"})
WIDENS = True


def find(seen: Seen) -> Lost | None:
    """Return a precision loss if a product of known non-zero factors is 0."""
    values, factors, dtype = seen.known("out"), seen.known("self"), seen.dtype
    if values is None or factors is None or dtype is None or factors.is_complex():
        return None
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
