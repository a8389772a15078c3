"""Facts that a change needs at the places of broken contracts: names in the frames, ops until then."""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from ..core.event import Scene
from .operand_numbers import numbers
from .provenance.frame_variables import scopes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..core.event import Call
    from .judging.broken_call import Operands
    from .machine import VirtualMachine


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

    def _met(self, call: Call, operands: Operands) -> None:
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
