"""Track the parameters whose gradients are still scaled, and how many were summed in them."""

from __future__ import annotations

import weakref
from collections import Counter
from typing import TYPE_CHECKING, Any

import torch

from ...vm.provenance.record import find, is_tensor
from .names import GRADIENT, RATED, WEIGHTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ...vm.provenance.record import Record

UNSCALED = "gradient, unscaled by hand"
_CHANGED = frozenset({"mul", "div", RATED, UNSCALED})


class Gradients:
    """One run's gradients, since the last step of each optimizer.

    A gradient comes, scaled or not; a scaler divides it; a step uses it; then it is left, until zeros are written over
    it or the parameter gets another one. What comes on top of one that is left makes it a mixed one.
    """

    def __init__(self) -> None:
        self.sums: Counter[int] = Counter()  # by parameter
        self._scaled: dict[int, bool] = {}  # by parameter, of those that came
        self._waiting: set[int] = set()  # records of parameters with scaled gradients
        self._records: set[int] = set()  # records of these gradients
        self._last: dict[int, weakref.ref[Record]] = {}  # records, by parameter
        self._left: set[int] = set()  # parameters with gradients that a step has used
        self._mixed: set[int] = set()  # those that more was added to since
        # parameters, by records of their gradients: several may be parts of one buffer
        self._owners: weakref.WeakKeyDictionary[
            Record, weakref.WeakValueDictionary[int, Any]
        ] = weakref.WeakKeyDictionary()

    def came(
        self, parameter: Any, gradient: torch.Tensor, *, accumulated: bool, scaled: bool
    ) -> bool | None:
        """Return a parameter gets its gradient, or more of it.

        Returns whether the last was scaled; None: there was none.
        """
        key, record = id(parameter), find(gradient)
        held = find(parameter.grad) if accumulated and parameter.grad is not None else None  # fmt: skip
        last = self._last.get(key)
        if held is None or last is None or last() is not held:
            self.begun_anew([parameter])
        before = self._scaled.get(key)
        if scaled and key in self._left:
            self._mixed.add(key)
        self._scaled[key] = scaled
        if scaled:
            self._waiting.add(id(find(parameter)))
        self.sums[key] += 1
        if record is not None:
            self._last[key] = weakref.ref(record)
            record.made_by = GRADIENT
            weights = find(parameter)
            if weights is not None:
                weights.made_by = WEIGHTS
            owners = self._owners.setdefault(record, weakref.WeakValueDictionary())
            owners[key] = parameter
            self._records.discard(id(record))
            if scaled:
                self._records.add(id(record))
        return before

    def written(self, tensor: torch.Tensor, *, zeros: bool) -> None:
        """Record a write to gradients or to a part of their buffer; zeros restart the sum.

        So it does where it is not known what was written, unless the gradient is scaled still.
        """
        record, first = find(tensor), tensor.storage_offset()
        if record is None:
            return
        for parameter in [*self._owners.get(record, {}).values()]:
            grad = parameter.grad
            if grad is None or find(grad) is not record:
                continue  # it has another one by now
            covered = 0 <= grad.storage_offset() - first < tensor.numel()
            if covered and (zeros or not self._scaled.get(id(parameter))):
                self.begun_anew([parameter])

    def asked(self, parameter: Any, gradient: torch.Tensor | None) -> None:
        """Record that the program itself reads a scaled gradient, and may do anything with it."""
        record = None if gradient is None else find(gradient)
        if record is not None and parameter.is_leaf:
            record.made_by = GRADIENT
            self._waiting.add(id(find(parameter)))

    @property
    def any_scaled(self) -> bool:
        """True if there are some that are scaled still."""
        return bool(self._waiting) or any(self._scaled.values())

    def is_scaled(self, gradient: Any) -> bool:
        """Check whether it is a gradient, as it came, that is scaled still."""
        record = find(gradient) if is_tensor(gradient) else None
        return record is not None and id(record) in self._records

    def waits_for(self, tensor: torch.Tensor) -> bool:
        """Check whether a tensor is a parameter, or shares memory with one, whose gradient is still scaled."""
        record = find(tensor)
        return record is not None and id(record) in self._waiting

    def scaled(self, parameters: Iterable[Any]) -> list[Any]:
        """Return the parameters whose gradients are scaled."""
        return [one for one in parameters if self._scaled.get(id(one))]

    def kinds(self, parameters: Iterable[Any]) -> set[bool]:
        """Check whether gradients of these came scaled, not scaled, or both."""
        known = self._scaled
        return {known[id(one)] for one in parameters if id(one) in known}

    def as_it_came(self, parameter: torch.Tensor) -> bool:
        """Check whether it is that of a backward pass: a program that scales by itself divides, or copies it."""
        record = None if parameter.grad is None else find(parameter.grad)
        changed = record is not None and record.made_by in _CHANGED
        return id(parameter) in self._scaled and not changed

    def divided(self, parameters: Iterable[torch.Tensor]) -> Iterator[torch.Tensor]:
        """Record that a scaler unscales these parameters, and yield those that the program has already unscaled."""
        for parameter in parameters:
            if parameter.grad is None:
                continue
            record = find(parameter.grad)
            self._records.discard(id(record))
            if record is not None and record.made_by == UNSCALED:
                record.made_by = GRADIENT
                yield parameter
            self._scaled[id(parameter)] = False
            self._waiting.discard(id(find(parameter)))

    def stepped(self, parameters: Iterable[torch.Tensor]) -> None:
        """Record that an optimizer has stepped with these parameters."""
        for parameter in parameters:
            if id(parameter) in self._scaled:
                self.begun_anew([parameter])
                self._left.add(id(parameter))

    def begun_anew(self, parameters: Iterable[torch.Tensor]) -> None:
        """Record that these parameters' gradients are zeroed or replaced."""
        for parameter in parameters:
            key = id(parameter)
            self._scaled.pop(key, None)
            self._waiting.discard(id(find(parameter)))
            self.sums.pop(key, None)
            self._left.discard(key)
            self._mixed.discard(key)

    def mixed(self, parameters: Iterable[Any]) -> list[Any]:
        """Return the parameters whose scaled gradients were added to gradients that a step has already used."""
        return [one for one in parameters if id(one) in self._mixed]
