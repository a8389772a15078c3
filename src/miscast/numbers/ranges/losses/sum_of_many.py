"""Numbers of one sign that are added one after the other to a tensor of a half dtype."""

from __future__ import annotations

import torch

from ....vm.provenance.record import find as find_record
from ..loss import HALF, PRECISION, Lost, short
from ..names import MATRICES, PRODUCTS, SQUARED, additions, degree
from ..seen import Seen

_LOGARITHMS = frozenset({"logaddexp", "logaddexp2"})
"""Ops that add positive terms, whatever the sign of their logarithms."""
_PLACES = frozenset({"scatter_add", "index_add", "scatter_reduce", "index_put"})
OPS = frozenset({
    "add", "sub", *_PLACES, *PRODUCTS, *_LOGARITHMS,
})  # fmt: skip
_SHARE = 4
"""Behind a quarter of the steps between a number and its double, each sum is off by a hundredth and more."""
_ONE_SIGN = 0.5
_BY_TURNS = 4
"""Lines, that each add to what the one before gave."""
_ARGUMENTS = {
    "add": "other",
    "sub": "other",
    "scatter_add": "src",
    "scatter_reduce": "src",
    "index_add": "source",
}


def find(seen: Seen) -> Lost | None:
    """Return the sum that is one too many."""
    dtype, tensor = seen.dtype, seen.tensor("self")
    if dtype not in HALF or tensor is None:
        return None
    record = find_record(tensor if seen.in_place else seen.out)
    many = 2 ** PRECISION[dtype] // _SHARE
    if record is None:
        return None
    each = _at_a_place(seen, tensor)
    if (
        each > 1
        and (added := seen.moments(_ARGUMENTS.get(seen.name, "values"))) is not None
        and added.whole
    ):
        many *= _SHARE  # counts are exact up to there
    sums = each * (additions(tensor) if seen.in_place else record.chain)
    if sums < many or sums % many >= each * (1 if seen.in_place else _BY_TURNS):
        return None
    if seen.name not in _LOGARITHMS and not _of_one_sign(seen):
        return None
    return Lost(
        rule="sum-stalls",
        form="total",
        figures=f"{sums} or more additions one after another in {short(dtype)}, where "
        f"a sum of equal terms stops growing after {2 ** PRECISION[dtype]}",
    )


def _at_a_place(seen: Seen, tensor: torch.Tensor) -> int:
    """Return how many terms one call adds to each number on average, 1 at least."""
    added = seen.tensor(_ARGUMENTS.get(seen.name, "values"))
    if seen.name not in _PLACES or added is None:
        return 1
    return max(1, added.numel() // max(tensor.numel(), 1))


def _of_one_sign(seen: Seen) -> bool:
    """Check whether the added values have one sign, and exceed the whole numbers that are still exact."""
    if seen.name == "index_put" and not seen.given.get("accumulate"):
        return False
    if seen.name == "scatter_reduce" and seen.given.get("reduce") != "sum":
        return False
    if seen.name in PRODUCTS:
        return seen.number("beta") in (None, 1.0) and _is_positive(seen)
    added, now = seen.moments(_ARGUMENTS.get(seen.name, "values")), seen.moments("out")
    return (
        added is not None
        and abs(added.mean) >= _ONE_SIGN * added.rms
        and not _small(seen, now)
    )


def _is_positive(seen: Seen) -> bool:
    """Check whether the products that are added have one sign: those of positive numbers, or squares on a diagonal."""
    one, other = map(seen.moments, MATRICES[seen.name])
    if one is None or other is None:
        return degree(seen) == SQUARED
    size = _ONE_SIGN * one.rms * other.rms
    return degree(seen) == SQUARED or abs(one.mean * other.mean) >= size


def _small(seen: Seen, now: object) -> bool:
    """Check whether the values are exact whole numbers, as of a counter that stays low."""
    values = seen.known("out")
    if values is None or now is None or seen.dtype is None:
        return False
    return (
        not bool(values.frac().any())
        and float(values.abs().max()) < 2 ** PRECISION[seen.dtype] / 2
        and isinstance(values, torch.Tensor)
    )
