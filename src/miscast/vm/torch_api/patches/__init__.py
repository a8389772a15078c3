"""Patches of what a program uses without an op, as on the real machine: one file per part of torch.

Each file has `patches(vm)`, which yields the attributes to replace while the virtual machine is on, or `LATER`: by the
name of a module that the program may import, what yields the attributes to replace in it. Files are found by discovery.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

from ....core.plugins import function, load, table
from ....running.process.everywhere import Names, Swaps, everywhere
from ....running.process.on_import import later
from ....running.process.patching import Patch
from ....running.torch_abi import jit_builtins
from .. import queries

if TYPE_CHECKING:
    from types import ModuleType

    from ...machine import VirtualMachine


@contextmanager
def patched(vm: VirtualMachine, known: Names | None = None) -> Iterator[None]:
    """Apply all patches within the block, also to names that modules imported; undo names that imported ours.

    `known`: the names of functions that a box has put there, and that a patch may replace in their turn.
    """
    failures = vm.recorder.failures
    come = {
        name: partial(patches, vm)
        for file in _FILES
        for name, patches in getattr(file, "LATER", {}).items()
    }
    with (
        everywhere(list(_all(vm)), failures, also=_scripted, known=known),
        later(come, failures),
    ):
        yield


def _all(vm: VirtualMachine) -> Iterator[Patch]:
    yield from queries.patches(vm.machine, vm.devices)
    for file in _FILES:
        if hasattr(file, "patches"):
            yield from file.patches(vm)


def _scripted(swaps: Swaps) -> Iterator[Patch]:
    """Yield what torch.jit.script takes for a builtin of torch, it takes for one still."""
    table = jit_builtins._get_builtin_table()
    for key, (_, value) in swaps.items():
        if key in table:
            yield Patch(table, id(value), table[key])  # type: ignore[arg-type]


def _files() -> tuple[ModuleType, ...]:
    return load(__name__, either=(function("patches", 1), table("LATER")))


_FILES = _files()
"""Found with this file, not when a machine starts: in a box of Python each import takes longer."""
