"""A root of 0 that is kept from the result by `where` or a mask, and whose gradient is 0 * inf all the same."""

from __future__ import annotations

import torch

from ....vm.provenance.record import find as find_record
from ..loss import Lost
from ..seen import Seen

_STEEP = frozenset({"sqrt", "log", "rsqrt", "reciprocal"})
OPS = _STEEP | {"where", "mul"}
WIDENS = True
_OF_ZERO = "steep at 0"
_ZEROED = frozenset({"clamp", "clamp_min", "relu", "abs", "zeros", "masked_fill"})


def find(seen: Seen) -> Lost | None:
    """Return what hides such a root."""
    if seen.name in _STEEP:
        _mark(seen)
        return None
    if seen.name == "mul":
        hidden = [
            a
            for a, b in (("self", "other"), ("other", "self"))
            if seen.made_by(a) == _OF_ZERO and seen.made_by(b) == "mask"
        ]
    else:
        hidden = [n for n in ("self", "other") if seen.made_by(n) == _OF_ZERO]
    if not hidden:
        return None
    return Lost(
        rule="nan-appears",
        operand=hidden[0],
        wanted="",
        form="hidden",
        figures="hidden elements get the gradient 0 * inf: the slope at 0 is infinite",
    )


def _mark(seen: Seen) -> None:
    """Mark the op's result if its input requires grad and contains zeros."""
    tensor, out = seen.tensor("self"), seen.tensor("out")
    if tensor is None or out is None or not torch.is_grad_enabled():
        return
    if not tensor.requires_grad:
        return
    if not _has_zeros(seen, tensor):
        return
    record = find_record(out)
    if record is not None:
        record.made_by = _OF_ZERO


def _has_zeros(seen: Seen, tensor: torch.Tensor) -> bool:
    values = seen.known("self")
    made = seen.made_by("self")
    if values is not None:
        # a clamp or relu stops the gradient there itself
        return bool((values == 0).any()) and (tensor.is_leaf or made not in _ZEROED)
    moments = seen.moments("self")
    return (
        tensor.is_leaf and made in _ZEROED and moments is not None and moments.lo == 0.0
    )
