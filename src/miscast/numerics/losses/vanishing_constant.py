"""A small constant, most often an eps, that is 0 in float16."""

from __future__ import annotations

import torch

from ..loss import Lost, spelled
from ..seen import Seen

OPS = frozenset({"add", "sub", "rsub", "clamp", "clamp_min", "maximum", "max"})
_ARGUMENTS = {"clamp": "min", "clamp_min": "min"}
_SMALLEST = 2.0**-25
"""Half of the smallest number above 0: what is less is rounded to 0."""


def find(seen: Seen) -> Lost | None:
    """A number other than 0 that the result's dtype takes for 0."""
    if seen.dtype is not torch.float16:
        return None
    number = seen.number(_ARGUMENTS.get(seen.name, "other"))
    if not number or abs(number) > _SMALLEST:
        return None
    return Lost(
        rule="constant-vanishes",
        operand="self",
        wanted="float32",
        figures=f"{spelled(number)} is 0 in float16, whose smallest number is 6e-8",
    )
