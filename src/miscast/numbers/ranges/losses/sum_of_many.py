"""Numbers of one sign that are added one after the other to a tensor of a half dtype."""

from __future__ import annotations

import torch

from ....core.moments import Moments
from ....vm.provenance.record import find as find_record
from ..loss import HALF, PRECISION, Lost, short
from ..names import MATRICES, PLACES, PRODUCTS, SQUARED, additions, at_a_place, degree
from ..seen import Seen

_LOGARITHMS = frozenset({"logaddexp", "logaddexp2"})
"""Ops that add positive terms, whatever the sign of their logarithms."""
OPS = frozenset({
    "add", "sub", *PLACES, *PRODUCTS, *_LOGARITHMS,
})  # fmt: skip
_SHARE = 4
"""Behind a quarter of the steps between a number and its double, each sum is off by a hundredth and more."""
_ONE_SIGN = 0.5
_BY_TURNS = 4
"""Lines, that each add to what the one before gave."""


def find(seen: Seen) -> Lost | None:
    """Return the sum that is one too many."""
    dtype, tensor = seen.dtype, seen.tensor("self")
    if dtype not in HALF or tensor is None:
        return None
    added = seen.moments(PLACES.get(seen.name, "other"))
    sums = _sums(seen, dtype, tensor, whole=added is not None and added.whole)
    if not sums or not (seen.name in _LOGARITHMS or _of_one_sign(seen, added)):
        return None
    return Lost(
        rule="sum-stalls",
        form="total",
        figures=f"{sums} or more additions one after another in {short(dtype)}, where "
        f"a sum of equal terms stops growing after {2 ** PRECISION[dtype]}",
    )


def _sums(seen: Seen, dtype: torch.dtype, tensor: torch.Tensor, *, whole: bool) -> int:
    """Return how many terms were added up where these are again too many, else 0; counts are exact up to there."""
    each, record = at_a_place(seen), find_record(seen.out)
    chain, turns = (0 if record is None else record.chain), _BY_TURNS
    if seen.in_place:
        chain, turns = additions(tensor), 1
    many = 2 ** PRECISION[dtype] // (1 if each > 1 and whole else _SHARE)
    sums = each * chain
    return sums if sums >= many and sums % many < each * turns else 0


def _of_one_sign(seen: Seen, added: Moments | None) -> bool:
    """Check whether the added values have one sign, and exceed the whole numbers that are still exact."""
    if seen.name in PRODUCTS:
        return seen.number("beta") in (None, 1.0) and _is_positive(seen)
    if added is None:
        other = seen.tensor(PLACES.get(seen.name, "other"))
        record = None if other is None else find_record(other)
        return record is not None and record.positive
    return abs(added.mean) >= _ONE_SIGN * added.rms and not _small(
        seen, seen.moments("out")
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
