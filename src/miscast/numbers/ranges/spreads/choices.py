"""Value ranges of comparisons, counts and orders."""

from __future__ import annotations

import math

from ....core.moments import Moments, between
from ..seen import Seen

_YES_OR_NO = Moments(lo=0.0, hi=1.0, mean=0.5, rms=math.sqrt(0.5), whole=True)
"""The value range of an unknown mask."""
_COMPARED = (
    "gt", "lt", "ge", "le", "eq", "ne", "greater", "less", "greater_equal", "less_equal", "not_equal", "logical_and",
    "logical_or", "logical_not", "logical_xor", "isclose", "isin", "bernoulli", "signbit",
)  # fmt: skip


def _order(seen: Seen) -> Moments | None:
    """Return the value range of indices along a dimension, or into all numbers."""
    tensor, dim = seen.tensor("self"), seen.given.get("dim")
    if tensor is None or not tensor.numel():
        return None
    if dim is None and seen.name in ("argsort", "topk", "sort", "multinomial"):
        dim = -1
    count = tensor.shape[dim] if isinstance(dim, int) and tensor.dim() else None
    most = (tensor.numel() if count is None else count) - 1
    return between(0.0, float(most), whole=True)


def _both(seen: Seen) -> tuple[Moments | None, ...]:
    """Return the value ranges of the values and of their indices."""
    return seen.moments("self"), _order(seen)


def _permuted(seen: Seen) -> Moments | None:
    count = seen.number("n")
    return None if count is None or count < 1 else between(0.0, count - 1, whole=True)


def _place(seen: Seen) -> Moments | None:
    """Return a place among sorted numbers."""
    borders = seen.tensor(
        "sorted_sequence" if "sorted_sequence" in seen.given else "boundaries"
    )
    if borders is None or not borders.dim():
        return None
    return between(0.0, float(borders.shape[-1]), whole=True)


RULES = {
    **dict.fromkeys(_COMPARED, lambda _: _YES_OR_NO),
    **dict.fromkeys(("argmax", "argmin", "argsort", "multinomial"), _order),
    **dict.fromkeys(("topk", "sort", "kthvalue", "mode", "cummax", "cummin"), _both),
    "randperm": _permuted,
    "searchsorted": _place,
    "bucketize": _place,
}
