"""Averages that a program takes of its gradients by itself, from step to step, while these are scaled."""

from __future__ import annotations

from .loss import Lost, misused
from .seen import Seen
from .training import Training

_NEW = {"add": "other", "lerp": "end"}
"""The argument that is what an average follows."""


def find(seen: Seen, training: Training) -> Lost | None:
    """Return a finding if a state moves towards scaled gradients: `m.mul_(0.9).add_(p.grad, alpha=0.1)`, `m.lerp_`."""
    if not seen.in_place or seen.name not in _NEW:
        return None
    if seen.name == "add" and not 0 < seen.factor_before < 1:
        return None  # a sum, over micro-batches say
    state, new = seen.tensor("self"), seen.tensor(_NEW[seen.name])
    if state is None or not training.gradients.is_scaled(new):
        return None
    if training.gradients.is_scaled(state) or training.gradients.waits_for(state):
        return None
    return misused(
        "an average is taken of scaled gradients: the scale changes, and an infinity stays in it; call unscale_ first"
    )
