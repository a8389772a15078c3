"""What became float32 by the way, until it shows whether it was meant.

rotated = key * cos + turned * sin       # bfloat16 by float32 tables: float32
return rotated.to(key.dtype)             # and back: a formula that is computed in float32

Such a call is told of where a layer is given what came of it, or where the program has ended and never cast it back.
"""

from __future__ import annotations

from collections import Counter
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
_IN_ITS_DTYPE = frozenset({"softmax", "log_softmax"})
"""What is told in which dtype to compute, where float32 is meant."""
_BACK = CASTS | {"copy", "type_as"}
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
        self._more: Counter[object] = Counter()

    def hold(self, key: object, seen: Seen, say: Callable[[], None]) -> None:
        """A call at `key`; of many at one place no more than 64 are followed, the others do as these."""
        at = self._waiting.setdefault(key, [])
        record = find(seen.out) if is_tensor(seen.out) else None
        if len(at) >= _MOST:
            self._more[key] += 1
        elif record is not None:
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
        told = seen.name in _IN_ITS_DTYPE and seen.given.get("dtype") is None
        if told or seen.name in _LAYERS:
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
        for key, at in self._waiting.items():
            left = [one for one in at if not one.meant]
            for one in left:
                one.say()
            for _ in range(self._more[key] if left else 0):
                left[0].say()
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
