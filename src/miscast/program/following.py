"""What follows the numbers of a run, with what is assumed of them.

run_program("train.py", (), machine, watch=following(["pixels=-1:1"]))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..vm.machine import VirtualMachine


def following(
    assume: Sequence[str], *, if_asked: bool = True
) -> Callable[[VirtualMachine], None]:
    """What to call with a machine before its run begins; nothing is followed where it was not asked for.

    A name of `assume` that no module's argument had is noted.
    """

    def follow(vm: VirtualMachine) -> None:
        if if_asked:
            vm.numerics.follow(assume)
            vm.leaving.append(partial(_unmet, vm))

    return follow


def _unmet(vm: VirtualMachine) -> None:
    for name in vm.numerics.assumptions.unmet():
        vm.recorder.note(f"--assume {name}: no module was called with such an argument")
