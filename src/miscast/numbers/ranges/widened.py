"""Track values that became float32 incidentally until their use shows intent.

rotated = key * cos + turned * sin       # bfloat16 by float32 tables: float32
return rotated.to(key.dtype)             # and back: a formula that is computed in float32

Such a call is told of where a layer is given what came of it, or where the program has ended and never cast it back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from ...vm.provenance.record import find, is_tensor
from .loss import HALF
from .seen import BACK

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .seen import Seen

_LAYERS = frozenset({
    "mm", "addmm", "bmm", "baddbmm", "linear", "matmul", "convolution", "conv2d", "conv1d",
    "scaled_dot_product_attention",
})  # fmt: skip
_IN_ITS_DTYPE = frozenset({"softmax", "log_softmax"})
"""Ops with an argument for the compute dtype, if float32 is intended."""
_MOST = 64
_BEHIND = 8


class _Place:
    """The calls at one line; `say` tells of one of them, `more` are not followed, and do as the others."""

    __slots__ = ("calls", "meant_by", "more", "say")

    def __init__(self, say: Callable[[], None], meant_by: frozenset[str]) -> None:
        self.say, self.meant_by = say, meant_by
        self.calls: list[Widening] = []
        self.more = 0


class Widening:
    """One call that made half numbers wider."""

    __slots__ = ("at", "meant", "told")

    def __init__(self, at: _Place) -> None:
        self.at = at
        self.meant = self.told = False

    def tell(self) -> None:
        """Report the call, at most once."""
        if not self.told:
            self.told = True
            self.at.say()

    def used(self, seen: Seen) -> bool:
        """Check whether a use of the result shows that it was meant, or was not, and is reported then."""
        computes = not (seen.keeps_numbers or seen.name in BACK)
        if seen.name in self.at.meant_by and (seen.dtype in HALF or computes):
            self.meant = True
            return True
        told = seen.name in _IN_ITS_DTYPE and seen.given.get("dtype") is None
        if told or seen.name in _LAYERS or (computes and self.at.meant_by is not BACK):
            self.tell()
            return True
        return False


class Widened:
    """The calls that wait."""

    def __init__(self) -> None:
        self._waiting: dict[object, _Place] = {}

    def hold(
        self,
        key: object,
        seen: Seen,
        say: Callable[[], Callable[[], None]],
        meant_by: frozenset[str],
    ) -> None:
        """Delay the report of a call at `key`; `say` makes its reporter, once per key. Follows at most 64 calls."""
        at = self._waiting.get(key)
        if at is None:
            at = self._waiting[key] = _Place(say(), meant_by)
        record = find(seen.out) if is_tensor(seen.out) else None
        if len(at.calls) >= _MOST:
            at.more += 1
        elif record is not None:
            one = Widening(at)
            at.calls.append(one)
            record.passing = (*self._behind(seen), one)[-_BEHIND:]

    def see(self, seen: Seen) -> None:
        """Follow what an op does with results of waiting calls."""
        if not self._waiting:
            return
        behind = tuple(self._behind(seen))
        if not behind:
            return
        left = [one for one in behind if not one.used(seen)]
        for record in _results(seen) if left else ():
            passing = dict.fromkeys((*record.passing, *left))
            record.passing = tuple(passing)[-_BEHIND:]

    def end(self) -> None:
        """Report, at the program's end, the calls whose results were never cast back."""
        for at in self._waiting.values():
            left = [one for one in at.calls if one.told or not one.meant]
            for one in left:
                one.tell()
            for _ in range(at.more if left else 0):
                at.say()
        self._waiting.clear()

    @staticmethod
    def _behind(seen: Seen) -> Iterator[Widening]:
        for one in seen.tensors():
            record = find(one) if one.dtype is torch.float32 else None
            if record is not None:
                yield from record.passing


def _results(seen: Seen) -> Iterator[Any]:
    for one in seen.out if isinstance(seen.out, (list, tuple)) else (seen.out,):
        record = find(one) if is_tensor(one) and one.is_floating_point() else None
        if record is not None:
            yield record
