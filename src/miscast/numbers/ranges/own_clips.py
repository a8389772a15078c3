"""Track a program's own changes of gradients: norms that it takes, factors, bounds, and added terms."""

from __future__ import annotations

import sys

from ...vm.provenance.origin import Place, places
from .loss import Lost, misused, spelled

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
