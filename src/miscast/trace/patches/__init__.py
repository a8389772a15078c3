"""What the program reaches without an op, and must find as on the real machine: one file per part of torch.

Each file has `patches(vm)`, which yields the attributes to replace while the virtual machine is on; files are found by
discovery.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

from torch.jit import _builtins

from ..everywhere import Swaps, everywhere
from ..patching import Patch

if TYPE_CHECKING:
    from ..vm import VirtualMachine


@contextmanager
def patched(vm: VirtualMachine, but: Collection[int] = ()) -> Iterator[None]:
    """All patches applied, also where a module imported the original by name; undone also where one imported ours.

    `but`: addresses of functions that a box has put there, where they have no other names.
    """
    with everywhere(list(_all(vm)), vm.recorder.failures, also=_scripted, but=but):
        yield


def _all(vm: VirtualMachine) -> Iterator[Patch]:
    for patches in _files():
        yield from patches(vm)


@cache
def _files() -> tuple[Callable[[VirtualMachine], Iterator[Patch]], ...]:
    found = pkgutil.iter_modules(__path__)
    return tuple(importlib.import_module(f"{__name__}.{module.name}").patches for module in found)


def _scripted(swaps: Swaps) -> Iterator[Patch]:
    """What torch.jit.script takes for a builtin of torch, it takes for one still."""
    table = _builtins._get_builtin_table()
    for key, (_, value) in swaps.items():
        if key in table:
            yield Patch(table, id(value), table[key])  # type: ignore[arg-type]
