"""An exponential average, d * average + (1 - d) * new, in a half dtype that holds too few of its small steps."""

from __future__ import annotations

from ....vm.provenance.record import find as find_record
from ..loss import HALF, PRECISION, Lost, short, spelled
from ..names import GRADIENT, RATED
from ..seen import Seen

OPS = frozenset({"add"})
PLAIN = True
_OFF = 2.0**-23
"""The rounding of d and 1 - d in float32; a sampler's two coefficients come near 1 at some steps, too."""
_FAR = 2
"""With a share of twice the spacing, what is less than a quarter of the average away from it does not move it."""
_OF_GRADIENTS = 0.5
"""Gradients differ from their average by more than its size: it moves unless the share is below half of the spacing."""


def find(seen: Seen) -> Lost | None:
    """Return a precision loss at a sum of two products whose factors add up to 1, if one of them is small."""
    dtype, tensor = seen.dtype, seen.tensor("self")
    if dtype not in HALF or tensor is None or tensor.dtype not in HALF:
        return None
    one = _factor(seen, "self")
    alpha = seen.number("alpha")
    other = _factor(seen, "other") if alpha in (None, 1.0) else alpha
    if not one or not other or abs(one + other - 1.0) > _OFF:
        return None
    share = min(one, other)
    far = _OF_GRADIENTS if seen.made_by("other") in (GRADIENT, RATED) else _FAR
    if not 0 < share < far * 2.0 ** -(PRECISION[dtype] - 1):
        return None
    return Lost(
        rule="update-absorbed",
        form="average",
        figures=f"an average moves by {spelled(share)} of the difference, but neighbouring {short(dtype)} numbers are "
        f"{spelled(2.0 ** -(PRECISION[dtype] - 1))} of their value apart",
    )


def _factor(seen: Seen, name: str) -> float:
    if name == "self" and seen.in_place:
        return seen.factor_before
    tensor = seen.tensor(name)
    record = None if tensor is None else find_record(tensor)
    return 0.0 if record is None else record.factor
