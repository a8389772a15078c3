"""Compare what was added to one tensor over many steps with what arrived.

An update that is below half of the spacing of the numbers it is added to changes nothing. One such loss is rounding;
if all updates of a tensor are lost, it stands still.
"""

from __future__ import annotations

import torch

from ..ranges.names import PLACES as ADDED_AT, PRODUCTS

_DECAYED = 0.98
MOST = 4096
"""Elements that are looked at of one tensor: evenly spread, the same ones each time."""
PLACES = frozenset({*ADDED_AT, "put"})
"""Ops that add up all that belongs to one place, in the dtype of the result."""
SUMS = PLACES | PRODUCTS | {"add", "sub"}
"""Ops that give a new sum of an old one and of what is added."""
UPDATES = SUMS | {"lerp", "addcmul", "addcdiv"}
"""Ops that give a tensor's next value of its old one."""


def sampled(numbers: torch.Tensor, most: int = MOST) -> torch.Tensor:
    """Return at most `most` elements of a tensor."""
    count = numbers.numel()
    flat = numbers.reshape(-1)
    return flat if count <= most else flat[:: count // most][:most]


def part_of(tensor: torch.Tensor) -> tuple[int, tuple[int, ...]]:
    """Return by what the sums of a part of memory are known: of a small tensor all parts are one."""
    if tensor.untyped_storage().nbytes() <= MOST * tensor.element_size():
        return 0, ()
    return int(tensor.storage_offset()), tuple(tensor.shape)


def spread(numbers: torch.Tensor, tensor: torch.Tensor) -> torch.Tensor:
    """Return the numbers of a part of a small tensor at their places in all of it, and 0 elsewhere."""
    count = tensor.untyped_storage().nbytes() // tensor.element_size()
    if numbers.numel() == count or count > MOST:
        return numbers
    whole = numbers.new_zeros(count)
    whole.as_strided(tensor.size(), tensor.stride(), tensor.storage_offset()).copy_(
        numbers
    )
    return whole


class Sum:
    """The updates of one tensor at one line.

    `absorbed` is the share of what was asked for that changed nothing at all; `lost` how far the sum of what arrived is
    from the sum of what was asked for; `steady` is near 1 where updates go the same way, by the elements that went
    furthest.
    """

    __slots__ = (
        "_got", "_kept_still", "_less", "_size", "_way", "count", "last", "start",
    )  # fmt: skip

    def __init__(self) -> None:
        self.count = 0
        self._way: torch.Tensor | None = None
        self._got: torch.Tensor | None = None
        self._size: torch.Tensor | None = None
        self._kept_still = 0.0
        self._less = 0
        self.start: torch.Tensor | None = None
        self.last: torch.Tensor | None = None

    def add(
        self, before: torch.Tensor, after: torch.Tensor, exact: torch.Tensor
    ) -> bool:
        """Return one update: from `before` it should have led to `exact`, and led to `after`.

        False where shapes changed.
        """
        before, after, exact = sampled(before), sampled(after), sampled(exact)
        wanted, got = exact - before, after - before
        if not bool(torch.isfinite(wanted).all()) or not bool(
            torch.isfinite(got).all()
        ):
            return False
        if self._way is None or self._got is None or self._size is None:
            self._way, self._got, self._size = wanted, got, wanted.abs()
            self.start = before
        elif self._way.shape != wanted.shape or self._way.device != wanted.device:
            return False
        else:
            self._way, self._got, self._size = (
                self._way + wanted,
                self._got + got,
                self._size + wanted.abs(),
            )
        if self.last is not None:
            old = self.last.where(before != 0, 0)
            self._less += bool(before.norm() < _DECAYED * old.norm())
        self._kept_still += float((wanted.abs() * (got == 0)).sum())
        self.last = after
        self.count += 1
        return True

    @property
    def decays(self) -> bool:
        """True if the tensor mostly became less between the updates, as an average: what it lost is forgotten."""
        return 2 * self._less > self.count

    @property
    def absorbed(self) -> float:
        """The share of the requested change that had no effect, between 0 and 1."""
        size = 0.0 if self._size is None else float(self._size.sum())
        return self._kept_still / size if size else 0.0

    @property
    def lost(self) -> float:
        """The share of the requested change that did not arrive: 0.01 is 1 %."""
        return self._off(self._way)

    @property
    def missing(self) -> float:
        """The change that did not arrive, as a share of what the tensor holds: 0.01 is 1 %."""
        return self._off(self.last)

    def _off(self, beside: torch.Tensor | None) -> float:
        if beside is None or self._way is None or self._got is None:
            return 0.0
        size = float(beside.norm())
        return float((self._way - self._got).norm()) / size if size else 0.0

    @property
    def steady(self) -> float:
        """A measure of direction, between 0, where updates cancel out, and 1."""
        if self._way is None or self._size is None:
            return 0.0
        way = self._way.abs()
        size = float((way * self._size).sum())
        return float((way * way).sum()) / size if size else 0.0

    @property
    def from_nothing(self) -> bool:
        """True if most of what the tensor holds was added here."""
        if self.last is None or self._way is None:
            return False
        return float(self.last.norm()) <= 2 * float(self._way.norm())
