"""Track the results that are not finite, their operands, and the first of them.

Made of events in the order of the ops. An event hangs on the storage that it wrote, so views share it; a storage is
known for as long as it is remembered here, so that no other can take its number.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import torch
from torch.multiprocessing.reductions import StorageWeakRef

from .trip import Producer

Role = Literal["producer", "carrier", "meant", "unwritten"]


@dataclass(slots=True, kw_only=True, eq=False)
class Event:
    """An op with a result that is not finite.

    A `producer` made it of finite operands, or NaN of infinities that were meant; a `carrier` had it from its operands.
    `meant` are infinities that the program writes (a mask's -inf), and what has its infinities from those alone.
    `unwritten` is memory as `torch.empty` gives it.
    """

    index: int
    role: Role
    op: str
    parents: tuple[Event, ...] = ()
    told: Producer | None = None
    label: Any = field(default=None, repr=False)


class Flow:
    """The events of one run of a step."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._by_storage: dict[int, tuple[StorageWeakRef, Event]] = {}

    def of(self, tensor: torch.Tensor) -> Event | None:
        """Return the event that wrote a tensor's memory last."""
        known = self._by_storage.get(_number(tensor))
        return known[1] if known else None

    def note(self, event: Event, tensors: Iterable[torch.Tensor]) -> None:
        """Record that `tensors` are the results of an event."""
        self.events.append(event)
        for one in tensors:
            # torch's own, for sharing tensors between processes: its number is not used again while this lives
            reference = StorageWeakRef(one.untyped_storage())
            self._by_storage[_number(one)] = reference, event

    def mended(self, tensor: torch.Tensor) -> None:
        """Forget the event of a finite result's storage, if the result covers all of it."""
        number = _number(tensor)
        if number in self._by_storage:
            storage = tensor.untyped_storage()
            if tensor.numel() * tensor.itemsize >= storage.nbytes():
                del self._by_storage[number]

    def first(self, last: Sequence[Event]) -> list[Event]:
        """Return the producers that some events come from, the first one first."""
        seen: dict[int, Event] = {}
        todo = list(last)
        while todo:
            one = todo.pop()
            if id(one) not in seen:
                seen[id(one)] = one
                todo += one.parents
        found = [one for one in seen.values() if one.role in ("producer", "unwritten")]
        return sorted(found, key=lambda one: one.index)

    def number(self, role: Role) -> int:
        """Return how many events there are of a role."""
        return sum(one.role == role for one in self.events)


def _number(tensor: torch.Tensor) -> int:
    number: int = tensor.untyped_storage()._cdata
    return number
