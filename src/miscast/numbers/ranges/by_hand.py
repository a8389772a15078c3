"""A scale of the program's own that is taken off some of an optimizer's gradients, and left on others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...vm.provenance.record import find, is_tensor
from .loss import Lost, misused, spelled

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...vm.provenance.origin import Place

LEAST = 1024
"""Smallest divisor too large for micro-batches or ranks."""


class DividedByHand:
    """One run's gradients divided by hand since the last step: whose, by how much and where."""

    def __init__(self) -> None:
        self._divided: dict[int, tuple[float, Place | None]] = {}

    def note(self, gradients: Iterable[Any], by: float, place: Place | None) -> None:
        """Record that the program divides these gradients."""
        if abs(by) >= LEAST:
            for one in gradients:
                record = find(one) if is_tensor(one) else None
                if record is not None:
                    self._divided[id(record)] = by, place

    def step(self, parameters: Iterable[Any]) -> tuple[Lost, Place | None] | None:
        """Return an optimizer steps with the gradients of these."""
        records = [find(one.grad) for one in parameters if one.grad is not None]
        found = [self._divided.get(id(one)) for one in records]
        self._divided.clear()
        whole = [one for one in found if one is not None]
        if not whole or len(whole) == len(found):
            return None
        by, place = whole[0]
        figures = f"of {len(found)} gradients of this optimizer step only {len(whole)} are divided by {spelled(by)}"
        return misused(figures, "param"), place
