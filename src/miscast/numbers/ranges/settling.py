"""Numbers that become less from call to call, until they are rounding: a residual, or the step of a loop that arrives.

r = b - A @ x                            # 330, 41, 5.2, …, 0.0002: x is as good as float32 gets
x = x + r / d
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from ...vm.provenance.origin import places

if TYPE_CHECKING:
    from ...vm.provenance.origin import Place
    from .seen import Seen

OPS = frozenset({"add", "sub", "rsub", "addmm", "addmv", "baddbmm"})
_RISES, _FALLS, _SETTLED = 10, 3, 0.01
"""Rounding makes a number rise again by less; calls that a loop needs to come near; what is left of the first."""


@dataclass(slots=True)
class Falling:
    """The size of one number of a line: `falls` calls in a row made it less, from `peak` on to `last`."""

    falls: int = 0
    peak: float = 0.0
    last: float = 0.0

    def settles(self, size: float) -> bool:
        """Take the size at the next call, and check whether it has come to a hundredth of what it was."""
        rises = size > _RISES * self.last
        self.falls, self.peak = (0, size) if rises else (self.falls + 1, self.peak)
        self.last = size
        return self.falls >= _FALLS and size < _SETTLED * self.peak


class Settling:
    """Known float32 results and addends of one run, by the place of the op."""

    def __init__(self) -> None:
        self._sizes: dict[tuple[Place | None, str, str], Falling] = {}

    def see(self, seen: Seen) -> None:
        """Note which of a sum's numbers have come to nearly nothing."""
        if seen.name not in OPS or seen.dtype is not torch.float32:
            return
        sizes = ((name, seen.moments(name)) for name in ("out", "other"))
        known = {
            name: one.rms for name, one in sizes if one is not None and one.certain
        }
        place = places(sys._getframe(1))[0] if known else None
        for name, size in known.items():
            falling = self._sizes.setdefault((place, seen.name, name), Falling())
            if falling.settles(size):
                seen.settled |= {name}
