"""Running sums and products of a half dtype that are longer than its whole numbers reach."""

from __future__ import annotations

from ..loss import HALF, PRECISION, Lost, short
from ..seen import Seen

OPS = frozenset({"cumsum", "cumprod", "logcumsumexp"})


def find(seen: Seen) -> Lost | None:
    """So many terms that each rounds off more than it adds."""
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
    what = "factors" if seen.name == "cumprod" else "terms"
    return Lost(
        rule="sum-stalls",
        figures=f"{terms} {what} one after the other in {short(dtype)}, which has {2 ** PRECISION[dtype]} steps "
        "between a number and its double",
    )
