"""Follow the numbers of a run, with the assumptions about them.

run_program("train.py", (), machine, watch=partial(follow, assume=["pixels=-1:1"]))
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...vm.machine import VirtualMachine


def follow(vm: VirtualMachine, *, assume: Sequence[str] = ()) -> None:
    """Follow value ranges; call it before the run begins. A name of `assume` that no module's argument has is noted."""
    vm.numerics.follow(assume)
    vm.leaving.append(partial(_unmet, vm))


def _unmet(vm: VirtualMachine) -> None:
    for name in vm.numerics.assumptions.unmet():
        vm.recorder.note(f"--assume {name}: no module was called with such an argument")
