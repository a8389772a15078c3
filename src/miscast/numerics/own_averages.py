"""Averages that a program takes of its gradients by itself, from step to step, while these are scaled."""

from __future__ import annotations

import torch

from ..provenance.record import is_tensor
from .loss import Lost
from .seen import Seen
from .training import Training

_NEW = {"add": "other", "lerp": "end", "_foreach_lerp": "tensors1"}
"""The argument that is what an average follows."""


def find(seen: Seen, training: Training) -> Lost | None:
    """Return a finding if a state moves towards scaled gradients: `m.mul_(0.9).add_(p.grad, alpha=0.1)`, `m.lerp_`."""
    if not seen.in_place or seen.name not in _NEW:
        return None
    if seen.name == "add" and not 0 < seen.factor_before < 1:
        return None  # a sum, over micro-batches say
    state, new = _first(seen.given.get("self")), _first(seen.given.get(_NEW[seen.name]))
    if state is None or not training.gradients.is_scaled(new):
        return None
    if training.gradients.is_scaled(state) or training.gradients.waits_for(state):
        return None
    return Lost(
        rule="scaler-misused",
        operand="self",
        wanted="",
        figures="an average is taken of scaled gradients: the scale changes, and an infinity stays in it; call "
        "unscale_ "
        "first",
    )


def _first(given: object) -> torch.Tensor | None:
    one = given[0] if isinstance(given, (list, tuple)) and given else given
    return one if is_tensor(one) else None  # type: ignore[return-value]
