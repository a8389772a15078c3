"""Track a program's own changes of gradients: norms that it takes, factors, bounds, added terms, and its own scale."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from ...vm.provenance.origin import Place, places
from ...vm.provenance.record import find, is_tensor
from .loss import Lost, misused, spelled

if TYPE_CHECKING:
    from collections.abc import Iterable

CLIPPED = "gradients are clipped while they are scaled: call unscale_ first"
ADDED = "a term added to scaled gradients is divided with them by scaler.step: call unscale_ first"


class OwnClips:
    """One run's own clips. `any`: it has multiplied or divided gradients; `misuses`: its changes of scaled ones.

    `norm_of_scaled`: where their norm was taken since the last step.
    """

    def __init__(self) -> None:
        self.any = False
        self.misuses: dict[str, Place | None] = {}
        self.norm_of_scaled: Place | None = None

    def measured(self, *, scaled: bool) -> None:
        """Record that a norm of gradients was taken."""
        self.norm_of_scaled = places(sys._getframe(1))[0] if scaled else None

    def rescaled(self, *, bounded: bool, scaled: bool) -> None:
        """Record that gradients are multiplied or divided; `bounded`: so that they stay within a bound."""
        self.any = True
        if self.norm_of_scaled is not None and bounded:
            self._note(CLIPPED, scaled=scaled)

    def cut(self, *, scaled: bool) -> None:
        """Record that gradients are clamped element by element."""
        self._note(CLIPPED, scaled=scaled)

    def added(self, *, scaled: bool) -> None:
        """Record that decay or noise is added to gradients."""
        self._note(ADDED, scaled=scaled)

    def stepped(self) -> None:
        """Reset the records after an optimizer's step."""
        self.norm_of_scaled = None
        self.misuses.clear()

    def _note(self, what: str, *, scaled: bool) -> None:
        if scaled:
            self.misuses[what] = places(sys._getframe(2))[0]


def compared(bound: float | None) -> Lost:
    """Return the finding for a norm of scaled gradients compared with a number; None: with the norm of weights."""
    by = "the norm of weights" if bound is None else spelled(bound)
    return misused(
        f"the norm of scaled gradients is compared with {by}: call unscale_ first"
    )


def divided(by: float) -> Lost:
    """Return the finding for float16 gradients that are divided by the program's own scale."""
    return misused(
        f"float16 gradients are divided by {spelled(by)} in float16: small values that the scale preserved become 0 "
        "again",
        wanted="float32",
    )


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
