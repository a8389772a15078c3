"""Adds up what the kernels of a run have to do; of a training, of one step.

meter = Meter()
meter(plan, args, kwargs, out)       # of each kernel
meter.stepped()                      # an optimizer has stepped
meter.work                           # of the last whole step, or of the whole run
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from ..provenance.record import find
from .work import Work, tensors, work_of


class Meter:
    """One run's. Calls with operands alike are looked at once."""

    def __init__(self, device: str) -> None:
        """Nothing was done yet. Only kernels on this kind of device count."""
        self._device = device
        self._here = False
        self.steps = 0
        self._now: Counter[Work] = Counter()
        self._step: Counter[Work] = Counter()
        self._known: dict[tuple[object, ...], Work] = {}

    def __call__(self, plan: Any, args: Any, kwargs: Any, out: Any) -> None:
        """A kernel ran; a view is none."""
        if plan.view:
            return
        operands = [*tensors(args), *tensors(kwargs.values())]
        if not self._is_here(operands):
            return
        key = (plan.op, *map(_key, operands))
        work = self._known.get(key)
        if work is None:
            work = work_of(plan.short, plan.op, args, kwargs, out)
            self._known[key] = work
        self._now[work] += 1

    def _is_here(self, operands: list[Any]) -> bool:
        """What is made within a composite op is on no device yet: it is where the op is."""
        for one in operands:
            record = find(one)
            if record is not None and record.device is not None:
                self._here = record.device.type == self._device
                if one.dim():  # a number on the CPU goes along with any
                    break
        return bool(operands) and self._here

    def stepped(self) -> None:
        """A step is over."""
        self.steps += 1
        self._step, self._now = self._now, Counter()

    @property
    def work(self) -> Mapping[Work, int]:
        """How often each was done, of the last step; what several optimizers do one after the other is no step."""
        return self._step if self.steps else self._now


def _key(tensor: Any) -> tuple[object, ...]:
    return (tensor.dtype, tuple(tensor.shape), tensor.stride())
