"""What became float32 by the way, until it shows whether it was meant.

rotated = key * cos + turned * sin       # bfloat16 by float32 tables: float32
return rotated.to(key.dtype)             # and back: a formula that is computed in float32

Such a call is told of where a layer is given what came of it, or where the program has ended and never cast it back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from ..provenance.record import find, is_tensor
from .loss import HALF
from .seen import CASTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .seen import Seen

_LAYERS = frozenset({
    "mm", "addmm", "bmm", "baddbmm", "linear", "matmul", "convolution", "conv2d", "conv1d",
    "scaled_dot_product_attention",
})  # fmt: skip
_BACK = CASTS | {"copy"}
_MOST = 64
_BEHIND = 8


class Widening:
    """One call that made half numbers wider; `say` tells of it."""

    __slots__ = ("meant", "say")

    def __init__(self, say: Callable[[], None]) -> None:
        """Not meant, as far as is known."""
        self.say = say
        self.meant = False


class Widened:
    """The calls that wait."""

    def __init__(self) -> None:
        """None yet."""
        self._waiting: dict[object, list[Widening]] = {}

    def hold(self, key: object, seen: Seen, say: Callable[[], None]) -> None:
        """A call at `key`; of many at one place no more than 64 are followed."""
        at = self._waiting.setdefault(key, [])
        record = find(seen.out) if is_tensor(seen.out) else None
        if record is not None and len(at) < _MOST:
            one = Widening(say)
            at.append(one)
            record.passing = (*self._behind(seen), one)[-_BEHIND:]

    def see(self, seen: Seen) -> None:
        """An op has run: what came of what waits."""
        if not self._waiting:
            return
        behind = tuple(self._behind(seen))
        if not behind:
            return
        if seen.name in _LAYERS:
            for one in behind:
                self._told(one)
        elif seen.name in _BACK and seen.dtype in HALF:
            for one in behind:
                one.meant = True
        else:
            for record in _results(seen):
                record.passing = tuple(dict.fromkeys((*record.passing, *behind)))[
                    -_BEHIND:
                ]

    def end(self) -> None:
        """The program has ended: what it never cast back."""
        for at in self._waiting.values():
            for one in at:
                if not one.meant:
                    one.say()
        self._waiting.clear()

    def _told(self, one: Widening) -> None:
        for at in self._waiting.values():
            if one in at:
                at.remove(one)
                one.say()

    @staticmethod
    def _behind(seen: Seen) -> Iterator[Widening]:
        for value in seen.given.values():
            for one in value if isinstance(value, (list, tuple)) else (value,):
                record = (
                    find(one) if is_tensor(one) and one.dtype is torch.float32 else None
                )
                if record is not None:
                    yield from record.passing


def _results(seen: Seen) -> Iterator[Any]:
    for one in seen.out if isinstance(seen.out, (list, tuple)) else (seen.out,):
        record = find(one) if is_tensor(one) and one.is_floating_point() else None
        if record is not None:
            yield record
