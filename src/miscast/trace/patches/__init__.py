"""What the program reaches without an op, and must find as on the real machine: one file per part of torch.

Each file has `patches(vm)`, which yields the attributes to replace while the virtual machine is on; files are found by
discovery.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, Any

from torch.jit import _builtins

from ..patching import Patch, applied

if TYPE_CHECKING:
    from ..vm import VirtualMachine


@contextmanager
def patched(vm: VirtualMachine) -> Iterator[None]:
    """All patches applied, also where a module imported the original by name; undone also where one imported ours."""
    wanted = list(_all(vm))
    swaps = {
        id(original): (original, p.value)
        for p in wanted
        if isinstance(p.owner, ModuleType) and isinstance(original := vars(p.owner).get(p.name), Callable)  # type: ignore[arg-type]
    }
    before = set(sys.modules)
    with applied([*wanted, *_imported(swaps, before), *_scripted(swaps)]):
        yield
    back = {id(value): (value, original) for original, value in swaps.values()}
    for patch in list(_imported(back, set(sys.modules) - before)):
        setattr(patch.owner, patch.name, patch.value)


def _all(vm: VirtualMachine) -> Iterator[Patch]:
    for module in pkgutil.iter_modules(__path__):
        yield from importlib.import_module(f"{__name__}.{module.name}").patches(vm)


def _scripted(swaps: dict[int, tuple[Any, Any]]) -> Iterator[Patch]:
    """What torch.jit.script takes for a builtin of torch, it takes for one still."""
    table = _builtins._get_builtin_table()
    for key, (_, value) in swaps.items():
        if key in table:
            yield Patch(table, id(value), table[key])  # type: ignore[arg-type]


def _imported(swaps: dict[int, tuple[Any, Any]], names: set[str]) -> Iterator[Patch]:
    """Attributes of the named Python modules (not torch's C++ ones, nor ours) that are one of those to swap."""
    ours = __name__.partition(".")[0]
    for name in names:
        module = sys.modules.get(name)
        if isinstance(module, ModuleType) and not name.startswith(("torch._C", ours)):
            for attribute, value in list(vars(module).items()):
                if id(value) in swaps and swaps[id(value)][0] is value:
                    yield Patch(module, attribute, swaps[id(value)][1])
