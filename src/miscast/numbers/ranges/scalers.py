"""The GradScalers that a program makes: how they grow, whether one is made each step, and what they refuse."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from .loss import Lost, misused

if TYPE_CHECKING:
    from collections.abc import Sequence

    import torch

    from ...vm.provenance.origin import Place
    from .gradients import Gradients
    from .teller import Teller

_OFTEN, _DOUBLES, _HIGH = 10, 1.5, 2.0**14
"""Limits of growth interval, factor and scale. Beyond all three, a scaler skips a tenth of all steps."""


class Scalers:
    """One run's scalers. `scale`: the last one's initial scale; `off`: the place of one that is disabled."""

    def __init__(self, teller: Teller) -> None:
        self.scale = 1.0
        self.off: Place | None = None
        self._teller = teller
        self._made: weakref.WeakKeyDictionary[Any, Place | None] = (
            weakref.WeakKeyDictionary()
        )
        self._by_optimizer: dict[int, tuple[weakref.ref[Any], Place | None]] = {}

    def __bool__(self) -> bool:
        """Check whether there is one that is on."""
        return bool(self._made)

    def made(self, scaler: Any, place: Place | None) -> None:
        """Record a new GradScaler, and check its settings."""
        if not scaler.is_enabled():
            self.off = place
            return
        self._made[scaler] = place
        self.scale = float(scaler.get_scale())
        often = scaler.get_growth_interval()
        grows = often < _OFTEN and scaler.get_growth_factor() >= _DOUBLES
        if grows and self.scale >= _HIGH:
            self._tell(
                f"growth_interval={often}: the scale grows until it overflows, and from then on one step in "
                f"{often + 1} is skipped",
                place,
            )

    def steps(self, scaler: Any, optimizer: Any) -> None:
        """Record a scaler's step of an optimizer; report a line that creates a new scaler for each step."""
        place = self._made.get(scaler)
        before = self._by_optimizer.get(id(optimizer))
        another = before is not None and before[0]() is not scaler
        if another and place is not None and before is not None and before[1] == place:
            self._tell(
                "a new GradScaler for each step: a scale lowered by an overflow is lost",
                place,
            )
        self._by_optimizer[id(optimizer)] = (weakref.ref(scaler), place)

    def _tell(self, figures: str, place: Place | None) -> None:
        self._teller.tell("GradScaler", misused(figures, ""), None, place)


_NO_GRADIENT = "No inf checks were recorded for this optimizer"
_TWICE = "is called twice for this optimizer, without scaler.update() in between"
_REFUSED = {
    "unscale_() has already been called": f"scaler.unscale_ {_TWICE}",
    "unscale_() is being called after step()": "scaler.unscale_ is called after scaler.step, which has already "
    "divided the gradients",
    "step() has already been called": f"scaler.step {_TWICE}",
    "No inf checks were recorded prior to update": "scaler.update() is called without a scaler.step before it",
}
"""Reasons by the start of torch's text."""


def refused(
    error: BaseException,
    parameters: Sequence[torch.Tensor],
    gradients: Gradients,
    *,
    passed: bool,
) -> Lost | None:
    """Return the finding for a GradScaler's error; None for another error. `passed`: a backward pass has run."""
    text = str(error)
    figures = next((why for start, why in _REFUSED.items() if text.startswith(start)), "")  # fmt: skip
    if text.startswith(_NO_GRADIENT):
        figures = f"no parameter of this optimizer has a gradient: {_why(parameters, gradients, passed=passed)}"
    if not figures:
        return None
    return misused(figures, "param", error=text, raises=type(error).__name__)


def _why(parameters: Sequence[Any], gradients: Gradients, *, passed: bool) -> str:
    if not parameters:
        return "it has no parameters"
    if not any(one.requires_grad for one in parameters):
        return f"all {len(parameters)} are frozen"
    if gradients.kinds(parameters):
        return "they were set to None after the backward pass"
    if passed:
        return f"the backward pass reached none of its {len(parameters)}"
    return "no backward pass since the last scaler.update()"
