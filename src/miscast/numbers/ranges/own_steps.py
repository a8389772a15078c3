"""Steps, and averages, that a program takes by itself of gradients which nobody has divided by the scale."""

from __future__ import annotations

from ...vm.provenance.record import find
from .gradients import UNSCALED
from .loss import Lost, misused
from .names import GRADIENT, NORM_OF_SCALED, NORMS
from .seen import Seen
from .training import Training

_NEW = {"add": "other", "lerp": "end"}
"""The argument that is what an average follows."""
STEP = "step"
"""Gradients that are scaled still, times a rate."""
_CHANGES = frozenset({"add", "sub"})
_SMALL = 0.3
"""A factor that is smaller, beside one over the scale, is a rate that was divided by it."""
_ALIKE = 1e-6


def made(seen: Seen, training: Training) -> str:
    """Return the name of scaled gradients times a number, `UNSCALED` if it removes the scale in place, or a norm's."""
    if seen.name in NORMS:
        is_scaled = training.gradients.is_scaled(seen.given.get("self"))
        return NORM_OF_SCALED if is_scaled and seen.made_by("self") == GRADIENT else ""
    if seen.name not in ("mul", "div"):
        return ""
    for one, by in (("self", "other"), ("other", "self")):
        factor = seen.number(by)
        if seen.made_by(one) in (GRADIENT, STEP) and factor:
            times = 1 / factor if seen.name == "div" else factor
            scale = training.scalers.scale
            if not _takes_off(times, scale):
                return STEP
            return UNSCALED if seen.in_place and is_one_over(times, scale) else ""
    return ""


def step(seen: Seen, training: Training) -> Lost | None:
    """Return a parameter is changed by gradients that are scaled still, or new ones are made so of it."""
    weight, other = seen.tensor("self"), seen.tensor("other")
    if seen.name not in _CHANGES or weight is None or other is None:
        return None
    record, alpha = find(other), seen.number("alpha")
    by = 1.0 if alpha is None else alpha
    if record is None or record.made_by not in (GRADIENT, STEP):
        return None
    if not training.gradients.waits_for(weight):
        return None
    if _takes_off(by, training.scalers.scale):
        return None
    return misused(
        "the program steps with scaled gradients; scaler.step would divide them first"
    )


def averaged(seen: Seen, training: Training) -> Lost | None:
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


def _takes_off(factor: float, scale: float) -> bool:
    return is_one_over(factor, scale) or abs(factor) * scale < _SMALL


def is_one_over(factor: float, scale: float) -> bool:
    """Check whether a factor is what takes a scale off."""
    return abs(abs(factor) * scale - 1) < _ALIKE
