"""Running sums and products of a half dtype that are longer than its whole numbers reach."""

from __future__ import annotations

from ..loss import HALF, PRECISION, Lost, short
from ..seen import Seen

OPS = frozenset({"cumsum", "cumprod", "logcumsumexp"})


def find(seen: Seen) -> Lost | None:
    """Return a precision loss if a running sum has so many terms that each rounds off more than it adds."""
    tensor, dtype, dim = seen.tensor("self"), seen.dtype, seen.given.get("dim")
    if (
        tensor is None
        or dtype not in HALF
        or not isinstance(dim, int)
        or not tensor.dim()
    ):
        return None
    terms = tensor.shape[dim]
    if seen.made_by("self") == seen.name and tensor.dim() > 1:
        terms = max(terms * n for n in tensor.shape)  # sums of sums, over a picture
    if terms <= 2 ** PRECISION[dtype]:
        return None
    few = 2 ** PRECISION[dtype]
    what, limit = "terms", f", where a sum of equal terms stops growing after {few}"
    if seen.name == "cumprod":
        what, limit = "factors", f", each rounded to one part in {few}"
    return Lost(
        rule="sum-stalls",
        figures=f"{terms} {what} one after another in {short(dtype)}{limit}",
    )
