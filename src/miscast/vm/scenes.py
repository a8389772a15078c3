"""Facts that a change needs at the places of broken contracts: names in the frames, ops until then, operands' numbers.

sampled = Sampled(vm, ("addmm", "train.py", 12, 14))     # its calls on these lines, to be held against another run's
sampled.found["mat1"][0].values                           # (0.0, 0.84, …), some of each operand's that are known
"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from ..core.event import Numbers, Scene
from .call import Call
from .key import KEYSET, Exclude
from .provenance.frame_variables import scopes
from .provenance.origin import locate, places
from .provenance.record import BITS, shape_of, view_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    import torch

    from ..core import event
    from .judging.broken_call import Operands
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
            if record.twin is not None
            and tensor.is_floating_point()
            and tensor.dtype not in BITS  # nothing reads its numbers
            and tensor.numel()
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


class Scenes:
    """One run's scenes, from its start."""

    def __init__(self, vm: VirtualMachine) -> None:
        self._recorder = vm.recorder
        self._found: dict[tuple[str, str, int], Scene] = {}
        vm.recorder.watchers.append(self._met)
        vm.scenes = self

    def all(self) -> tuple[Scene, ...]:
        """Return the first at each place of each op."""
        return tuple(self._found.values())

    def join(self, others: Iterable[Scene]) -> None:
        """Add the scenes of a fork that came there after the run's end."""
        for one in others:
            key = (one.op, one.file, one.line)
            self._found.setdefault(key, replace(one, ops=None, numbers={}))

    def _met(self, call: event.Call, operands: Operands) -> None:
        here = call.location
        key = (call.op, here.file, here.line)
        if key not in self._found:
            frames = tuple(scopes(sys._getframe(1)))
            self._found[key] = Scene(
                op=call.op,
                file=here.file,
                line=here.line,
                ops=self._recorder.ops,
                frames=frames,
                numbers=numbers(operands),
            )
