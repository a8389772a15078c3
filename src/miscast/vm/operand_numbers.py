"""The numbers that a call is given, where they are known: some of each operand's, to be held against another run's.

sampled = Sampled(vm, ("addmm", "train.py", 12, 14))     # its calls on these lines
sampled.found["mat1"][0].values                           # (0.0, 0.84, …)
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ..core.event import Numbers
from .call import Call
from .key import KEYSET, Exclude
from .provenance.origin import locate, places
from .provenance.record import shape_of, view_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    import torch

    from .machine import VirtualMachine
    from .provenance.record import Record
    from .schema import Args, Kwargs, Plan

_MOST = 256  # numbers of one operand
_CALLS = 64


def numbers(operands: Iterable[tuple[str, torch.Tensor, Record]]) -> dict[str, Numbers]:
    """Return the numbers of each floating operand whose values are known, by its name."""
    with Exclude(KEYSET):  # these ops are not the program's
        return {
            name: _some(record.twin, tensor)
            for name, tensor, record in operands
            if record.twin is not None and tensor.is_floating_point() and tensor.numel()
        }


def _some(twin: torch.UntypedStorage, tensor: torch.Tensor) -> Numbers:
    flat = view_of(twin, tensor).detach().reshape(-1)
    some = flat[:: -(-flat.numel() // _MOST)].double()
    return Numbers(
        dtype=str(tensor.dtype)[6:], shape=shape_of(tensor), values=tuple(some.tolist())
    )


class Sampled:
    """Operand numbers of one op's first calls on some lines of the user's, in one run from its start."""

    def __init__(self, vm: VirtualMachine, place: tuple[str, str, int, int]) -> None:
        """Watch `place`: the op's name, the file, and the first and last line."""
        self._recorder = vm.recorder
        self._op, self._file, self._first, self._last = place
        self.found: dict[str, list[Numbers]] = {}
        self._left = _CALLS
        self._dispatcher = vm.dispatcher
        self._dispatcher.watches.append(self._see)

    def _see(self, plan: Plan, args: Args, kwargs: Kwargs) -> None:
        opened = self._recorder.opened
        if (opened[0] if opened else plan.short) != self._op:
            return
        here = locate(places(sys._getframe(1))[0])
        if (
            here is None
            or here.file != self._file
            or not self._first <= here.line <= self._last
        ):
            return
        for name, some in numbers(Call(plan, args, dict(kwargs)).named()).items():
            self.found.setdefault(name, []).append(some)
        self._left -= 1
        if not self._left:
            self._dispatcher.watches.remove(self._see)
