"""Show a shadowed run's progress on the terminal's last line. No thread: the shadow triggers each update."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from ..progress import Ticking

if TYPE_CHECKING:
    from collections.abc import Callable


def line(file: TextIO) -> Callable[[int, int], None]:
    """Return a function that shows ops and steps on `file`, if that is a terminal."""
    ticking = Ticking(file)

    def say(ops: int, steps: int) -> None:
        ticking.say(f"shadow: {ops:,} ops, {steps:,} steps")
        ticking.tick()

    return say
