"""What a program does to its gradients by itself: norms that it takes, factors that it multiplies them with."""

from __future__ import annotations

import sys

from ..provenance.origin import Place, places


class OwnClips:
    """Of one run. `any`: it has multiplied or divided gradients; `place`: where, if that was a clip of scaled ones."""

    def __init__(self) -> None:
        """None yet."""
        self.any = False
        self.place: Place | None = None
        self._measured = False

    def measured(self, *, scaled: bool) -> None:
        """A norm of gradients was taken."""
        self._measured = scaled

    def rescaled(self, *, bounded: bool, scaled: bool) -> None:
        """They are multiplied or divided; `bounded`: so that they are no larger than a bound."""
        self.any = True
        if self._measured and bounded and scaled:
            self.place = places(sys._getframe(1))[0]

    def cut(self, *, scaled: bool) -> None:
        """They are bounded one by one."""
        if scaled:
            self.place = places(sys._getframe(1))[0]

    def stepped(self) -> None:
        """An optimizer has taken its step."""
        self._measured, self.place = False, None
