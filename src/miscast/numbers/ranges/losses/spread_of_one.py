"""The spread of one number: `std` and `var` divide by one less than there are, and 0 / 0 is nan."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ..loss import Lost
from .nan_appears import repaired

if TYPE_CHECKING:
    from ..seen import Seen

OPS = frozenset({"std", "var", "std_mean", "var_mean"})
PLAIN = True
WIDENS = True


def find(seen: Seen) -> Lost | None:
    """Return a row of one number, as that of a group of one answer.

    How long a selection is (dimension 0), data decide.
    """
    numbers, dims = seen.tensor("self"), seen.given.get("dim")
    dims = [dims] if isinstance(dims, int) else dims
    if numbers is None or not numbers.numel() or not isinstance(dims, (list, tuple)):
        return None
    if not dims or any(one % numbers.dim() == 0 for one in dims):
        return None
    many = math.prod(numbers.shape[one] for one in dims)
    if many > _taken_off(seen) or repaired():
        return None
    return Lost(
        rule="nan-appears",
        wanted="",
        form="spread",
        figures=f"the deviation of {many} number{'s' * (many > 1)} is 0 / 0",
    )


def _taken_off(seen: Seen) -> float:
    """Return the correction that is subtracted from the count; 1 by default."""
    unbiased, correction = seen.given.get("unbiased"), seen.given.get("correction")
    if isinstance(unbiased, bool):
        return float(unbiased)
    return 1.0 if correction is None else float(correction)
