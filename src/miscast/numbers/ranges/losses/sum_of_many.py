"""Numbers of one sign that are added one after the other to a tensor of a half dtype."""

from __future__ import annotations

import torch

from ....vm.provenance.record import find as find_record
from ..loss import HALF, PRECISION, Lost, short
from ..names import additions
from ..seen import Seen

_LOGARITHMS = frozenset({"logaddexp", "logaddexp2"})
"""Ops that add positive terms, whatever the sign of their logarithms."""
OPS = frozenset({
    "add", "sub", "scatter_add", "index_add", "scatter_reduce", "index_put", *_LOGARITHMS,
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
    sums = additions(tensor) if seen.in_place else record.chain
    if sums < many or sums % many >= (1 if seen.in_place else _BY_TURNS):
        return None
    if seen.name not in _LOGARITHMS and not _of_one_sign(seen):
        return None
    return Lost(
        rule="sum-stalls",
        form="total",
        figures=f"{sums} or more additions one after another in {short(dtype)}, where "
        f"a sum of equal terms stops growing after {2 ** PRECISION[dtype]}",
    )


def _of_one_sign(seen: Seen) -> bool:
    """Check whether the added values have one sign, and exceed the whole numbers that are still exact."""
    if seen.name == "index_put" and not seen.given.get("accumulate"):
        return False
    if seen.name == "scatter_reduce" and seen.given.get("reduce") != "sum":
        return False
    added, now = seen.moments(_ARGUMENTS.get(seen.name, "values")), seen.moments("out")
    return (
        added is not None
        and abs(added.mean) >= _ONE_SIGN * added.rms
        and not _small(seen, now)
    )


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
