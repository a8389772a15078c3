"""Whole numbers that come back from a dtype that did not hold all of them."""

from __future__ import annotations

import torch

from .loss import HALF, PRECISION, Lost, short, spelled
from .seen import Seen

_ALIKE = 2


def came_back(seen: Seen) -> Lost | None:
    """A conversion to indices of numbers of which the dtype before had only some."""
    tensor = seen.tensor("self")
    if tensor is None or tensor.dtype not in PRECISION or tensor.numel() < _ALIKE:
        return None
    exact = 2.0 ** PRECISION[tensor.dtype]
    most = _known(seen, exact) if seen.known("self") is not None else 0.0
    if seen.known("self") is None and tensor.dtype in HALF:
        found = seen.moments("self")
        if found is not None and not found.constant():
            lo, hi = found.typical()
            most = max(abs(lo), abs(hi))
    if not exact < most < 2.0**62:
        return None
    return Lost(
        rule="integer-rounds",
        operand="self",
        wanted="float32" if most < 2.0**24 and tensor.dtype in HALF else "int64",
        figures=f"indices up to {spelled(most)} come from {short(tensor.dtype)}, which has every whole number up to "
        f"{2 ** PRECISION[tensor.dtype]}",
    )


def _known(seen: Seen, exact: float) -> float:
    """The largest of numbers that are all whole and several of which lie beyond; 0 where they are not."""
    values = seen.known("self")
    if values is None:
        return 0.0
    beyond = values[values.abs() > exact].to(torch.float64)
    if beyond.unique().numel() < _ALIKE or bool(values.to(torch.float64).frac().any()):
        return 0.0
    return float(beyond.abs().max())
