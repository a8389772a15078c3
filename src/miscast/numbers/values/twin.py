"""One op on its way, beside it the same op as another precision of the program would compute it.

Where both precisions have the same dtype for it, and the same operands, it is the same op: it is not run twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from . import record
from .beside import Beside
from .call import tensors
from .numbers import distance

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


class Twin(Beside):
    """`apart` is how far each result is from its twin, relative; `decided`: so many elements, and so many otherwise."""

    def __init__(self, *given: Any) -> None:
        """Take an op that is about to run."""
        super().__init__(*given)
        self.same = False
        self.apart: list[tuple[torch.Tensor, float, bool]] = []
        self.decided: tuple[int, int] | None = None

    def before(self) -> None:
        """Prepare the twin; does nothing if the op is the same in both precisions."""
        self.same = self._is_same()
        if self.same:
            self.written = [
                one
                for name in self.plan.writes
                for one in tensors(self.bound.get(name))
            ]
            return
        super().before()

    def after(self) -> None:
        """Compute the results in both precisions, and their distance."""
        given = [one for one in tensors(self.real) if one.is_floating_point()]
        if not self.early and all(map(self._is_alike, given)):
            self.same = self.same or self._is_same()
        if self.same:
            self.forget()
        else:
            super().after()
        self.shadow.observe(self)

    def integers(self, *, early: bool) -> None:
        """Compare a decision with the one that the twin would have made."""
        if early or self.written or not self._has_twins() or not self.followed():
            return
        self._read()
        self._decide(self._widely(shadow=True) or ())

    def _widely(self, *, shadow: bool) -> Sequence[torch.Tensor] | None:
        found = super()._widely(shadow=shadow)
        if found is not None and self.plan.chooses and len(found) > 1:
            self._decide(found)
        return found

    def _decide(self, found: Sequence[torch.Tensor]) -> None:
        whole = otherwise = 0
        for one, other in zip(tensors(self.real), found, strict=False):
            if one.is_floating_point() or one.shape != other.shape:
                continue
            whole += one.numel()
            otherwise += int((one != other).sum())
        if whole:
            self.decided = (whole, otherwise)

    def _compare(
        self, outputs: Sequence[torch.Tensor], wide: Sequence[torch.Tensor]
    ) -> None:
        for one, other in zip(outputs, wide, strict=False):
            if other.shape != one.shape or not one.numel():
                continue
            if not (one.is_floating_point() or one.is_complex()):
                continue
            twin = other.to(self.precision.of(one.dtype))
            error = _apart(one, twin)
            finite = torch.isfinite(one).all() == torch.isfinite(twin).all()
            self.apart.append((one, error, bool(finite)))
            kept = None
            if not torch.equal(twin, self.precision.widened(one)):
                kept = record.keep(one, twin, self.precision, self.room)
            if kept is None:
                record.drop(one, self.precision)
            else:
                kept.error = error

    def _is_same(self) -> bool:
        """Check whether all dtypes, and all numbers, are the same in both.

        Scalars of an optimizer are its own in any.
        """
        every = list(tensors([*self.bound.values()]))
        floats = [one for one in every if one.is_floating_point() or one.is_complex()]
        if any(not record.is_plain(one) for one in every) or self._has_twins():
            return False
        few = all(one.numel() == 1 for one in floats)
        if few and self.shadow.watch.optimizer is not None:
            return True
        dtypes = {one.dtype for one in floats} | {*_dtypes([*self.bound.values()])}
        return all(self.precision.of(one) == one for one in dtypes)

    def _is_alike(self, tensor: torch.Tensor) -> bool:
        return self.precision.of(tensor.dtype) == tensor.dtype

    def _has_twins(self) -> bool:
        given = filter(record.is_plain, tensors([*self.bound.values()]))
        kept = map(record.find, given)
        return any(one is not None and one.wide is not None for one in kept)


def _apart(one: torch.Tensor, twin: torch.Tensor) -> float:
    """Return the distance over the elements where both are finite."""
    wide = torch.complex128 if one.is_complex() else torch.float64
    real, other = one.detach().to(wide), twin.to(wide)
    finite = torch.isfinite(real) & torch.isfinite(other)
    if not bool(finite.all()):
        real, other = real[finite], other[finite]
    return distance(real, other)


def _dtypes(value: Any) -> Iterator[torch.dtype]:
    if isinstance(value, torch.dtype):
        yield value
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from _dtypes(one)
