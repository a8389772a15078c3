"""Keeps what the kernels of a run have to do, in their order; of a training, of one step.

meter = Meter()
meter(plan, args, kwargs, out)       # of each kernel
meter.stepped()                      # an optimizer has stepped
meter.work                           # of the last whole step, or of the whole run
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch

from ...vm.provenance.record import carrier, find
from .work import COLLECTIVES, TRANSFERS, Work, tensors, work_of

_COPIES = frozenset({"to", "_to_copy", "copy_", "type_as"})


class Meter:
    """One run's. Calls with operands alike are looked at once."""

    def __init__(self, device: str) -> None:
        """Count only kernels on this kind of device."""
        self._device = device
        self._here = False
        self.steps = 0
        self._now: list[Work] = []
        self._step: list[Work] = []
        self._known: dict[tuple[object, ...], Work] = {}

    def __call__(self, plan: Any, args: Any, kwargs: Any, out: Any) -> None:
        """Record a kernel that ran; a view is not one."""
        operands = [*tensors(args), *tensors(kwargs.values())]
        # a cast, a move and a reshape are views by their schemas, and copy where they must
        if plan.view and _is_view(operands, out):
            return
        if plan.short in _COPIES and self._copied(plan.short, operands, out):
            return
        if not self._is_here(operands):
            return
        recorded = torch.is_grad_enabled()
        key = (plan.op, recorded, *map(_key, operands), *map(_key, tensors((out,))))
        work = self._known.get(key)
        if work is None:
            work = work_of(plan.short, plan.op, args, kwargs, out)
            work = dataclasses.replace(work, recorded=recorded)
            self._known[key] = work
        self._now.append(work)

    def _copied(self, name: str, operands: list[Any], out: Any) -> bool:
        """Check whether it was one between the host and the device."""
        pair = operands[:2] if name == "copy_" else [out, *operands[:1]]
        kinds = {_kind(one) for one in pair}
        if kinds != {"cpu", self._device} or len(kinds) == 1:
            return False
        size = pair[-1].numel() * pair[-1].element_size()
        self._now.append(Work(TRANSFERS, _dtype(pair[-1]), 0.0, float(size)))
        return True

    @contextmanager
    def as_one(self, given: Iterable[Any]) -> Iterator[None]:
        """Count the ops within the block as one kernel of the optimizer, which reads and writes all of `given`."""
        before = len(self._now)
        yield
        del self._now[before:]
        size = 2.0 * sum(one.numel() * one.element_size() for one in given)
        self._now.append(Work("optimizer", "float32", 0.0, size))

    def exchanged(self, tensor: Any, size: int) -> None:
        """Record the bytes that went to or came from other ranks."""
        self._now.append(Work(COLLECTIVES, _dtype(tensor), 0.0, float(size)))

    def _is_here(self, operands: list[Any]) -> bool:
        """Check whether operands are on the device; tensors created within a composite op are where the op is."""
        for one in operands:
            record = find(one)
            if record is not None and record.device is not None:
                self._here = record.device.type == self._device
                if one.dim():  # a number on the CPU goes along with any
                    break
        return bool(operands) and self._here

    def stepped(self) -> None:
        """Finish a step."""
        self.steps += 1
        self._step, self._now = self._now, []

    @property
    def work(self) -> Sequence[Work]:
        """The work of the last step; several optimizers in turn do not count as steps."""
        return self._step if self.steps else self._now


def _is_view(operands: list[Any], out: Any) -> bool:
    """Check whether its results share memory with what it was given."""
    given = {id(carrier(one)) for one in operands}
    return all(id(carrier(one)) in given for one in tensors((out,)))


def _kind(tensor: Any) -> str:
    record = find(tensor)
    device = record.device if record is not None else None
    return device.type if device is not None else ""


def _dtype(tensor: Any) -> str:
    return str(tensor.dtype)[6:]


def _key(tensor: Any) -> tuple[object, ...]:
    return (tensor.dtype, tuple(tensor.shape), tensor.stride())
