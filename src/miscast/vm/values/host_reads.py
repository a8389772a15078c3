"""Values read on the CPU by the program or its C++: `.item()`, `if t:`, `tolist()`, lengths, splits.

Known values are the truth. Else it is a stand-in that is reported, and such that a healthy program goes on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch

from ..provenance import factories
from ..provenance.record import Record, find, is_tensor, view_of
from ..virtualize import is_plain
from .known_storage import keep, known, recorded
from .limits import nearest, whole

if TYPE_CHECKING:
    from ..judging.recorder import Recorder
    from ..schema import Args, Plan
    from .answers import Answers

_AT_LEAST_ONE = frozenset({"lengths", "batch_sizes"})


class HostReads:
    """Gives numbers for tensors."""

    def __init__(self, recorder: Recorder, answers: Answers) -> None:
        """Take placeholders from `answers`, and record each in `recorder`."""
        self._recorder = recorder
        self._answers = answers

    def scalar(self, tensor: torch.Tensor) -> Any:
        """Return the Python number of a one-element tensor: known, or a placeholder that is reported."""
        record = recorded(tensor)
        twin = None if record.twin is None else view_of(record.twin, tensor).item()
        if twin is not None and not record.assumed:
            return twin
        if tensor.dtype is torch.bool:
            return self.truth(tensor)
        if tensor.is_floating_point():
            return self._floating(tensor, record, twin)
        if tensor.is_complex():
            value: Any = complex(1) if twin is None else twin
        else:
            natural = whole(0, record.limits, tensor.dtype) if twin is None else twin
            value = self._answers.number(natural, record.bound)
        self._recorder.assume("Tensor.item", str(value))
        return value

    def truth(self, tensor: torch.Tensor) -> bool:
        """Check whether a one-element tensor is true: known, or what keeps a healthy program going."""
        record = recorded(tensor)
        natural = record.twin is not None and bool(view_of(record.twin, tensor).item())
        if record.twin is not None and not record.assumed:
            return natural
        value = self._answers.truth(
            natural, steady=record.steady is not None, free=record.free
        )
        self._recorder.assume("Tensor.item", str(value))
        return value

    def _floating(
        self, tensor: torch.Tensor, record: Record, twin: float | None
    ) -> float:
        """Return a placeholder for a loss or score: it falls or rises at each line that asks, but is fixed per tensor.

        So the best model so far is saved, and `while error > tolerance` ends.
        """
        value = float(self._answers.number(self._answers.natural(twin, record.span)))
        largest = torch.finfo(tensor.dtype).max
        value = nearest(value, record.span or (-largest, largest))
        value = nearest(value, record.limits)
        if is_plain(tensor) and tensor.untyped_storage().nbytes() == tensor.itemsize:
            keep(
                tensor,
                factories.full(tensor.shape, value, dtype=tensor.dtype),
                assumed=True,
            )
        return value

    def array(self, tensor: torch.Tensor, what: str) -> torch.Tensor:
        """Return a real tensor for `numpy()` and `tolist()`: the value, or zeros that are reported."""
        record = recorded(tensor)
        held = record.twin is not None
        if held and not record.assumed:
            return known(tensor)
        fill = self._answers.filling() if tensor.is_floating_point() else None
        if fill is not None:
            self._recorder.assume(what, "different values in each iteration")
            return factories.full(
                tuple(tensor.shape),
                min(fill, torch.finfo(tensor.dtype).max),
                dtype=tensor.dtype,
            )
        if held or tensor.numel():
            self._recorder.assume(what, "placeholder values" if held else "zeros")
        if held:
            return known(tensor)
        return factories.zeros(tuple(tensor.shape), dtype=tensor.dtype)

    def hosted(self, plan: Plan, args: Args) -> tuple[Any, ...]:
        """Return the arguments with real tensors where C++ reads lengths, batch sizes or split points from memory."""
        real = list(args)
        for i in plan.host:
            if i < len(args) and is_tensor(args[i]) and find(args[i]) is not None:
                value = self.array(args[i], plan.short)
                real[i] = (
                    value.clamp(min=1) if plan.names[i] in _AT_LEAST_ONE else value
                )
        return tuple(real)
