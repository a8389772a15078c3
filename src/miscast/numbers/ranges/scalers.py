"""The GradScalers that a program makes: how high they begin, how often they grow, and whether one is made each step."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

from .loss import misused

if TYPE_CHECKING:
    from ...vm.provenance.origin import Place
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
                f"{often + 1} is "
                "skipped",
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
