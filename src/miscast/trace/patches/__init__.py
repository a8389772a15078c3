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
from functools import cache, partial
from types import ModuleType
from typing import TYPE_CHECKING, Any

from torch.jit import _builtins

from ..patching import Patch, applied
from ..search import Hit, Search

if TYPE_CHECKING:
    from ..vm import VirtualMachine

Swaps = dict[int, tuple[Any, Any]]
"""By the address of a callable: itself, and what stands in its place."""

_OURS = f"{__name__.partition('.')[0]}."
_MACHINES = 8
_searches: dict[frozenset[int], Search] = {}  # one for each kind of machine


@contextmanager
def patched(vm: VirtualMachine) -> Iterator[None]:
    """All patches applied, also where a module imported the original by name; undone also where one imported ours.

    Those of the box come first, so that the machine's stand before them.
    """
    outer = list(vm.box.patches(vm.recorder)) if vm.box is not None else []
    replaced = _replaced(outer)
    before = set(sys.modules)
    failures = vm.recorder.failures
    swaps: Swaps = {}
    try:
        with applied(outer, failures):
            wanted = list(_all(vm))
            replaced = {**_replaced(wanted), **replaced}
            latest = {(id(p.owner), p.name): p.value for p in (*outer, *wanted)}
            swaps = {id(original): (original, latest[key]) for key, original in replaced.items()}
            named = [Patch(hit.owner, hit.name, swaps[id(hit.value)][1]) for hit in _holders(swaps)]
            with applied([*wanted, *named, *_scripted(swaps)], failures):
                yield
    finally:
        back = {id(value): (value, original) for original, value in swaps.values()}
        for name in set(sys.modules) - before:
            with failures.during(f"it restored what {name} imported"):
                for hit in _bound(back, sys.modules.get(name)):
                    setattr(hit.owner, hit.name, back[id(hit.value)][1])


def _replaced(wanted: list[Patch]) -> dict[tuple[int, str], Any]:
    """The functions of modules that are replaced, by module and name."""
    return {
        (id(p.owner), p.name): original
        for p in wanted
        if isinstance(p.owner, ModuleType) and callable(original := vars(p.owner).get(p.name))
    }


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


def _holders(swaps: Swaps) -> Search:
    """Where in all modules the originals stand; a search for each set of them, so that it looks only at what is new."""
    originals = frozenset(swaps)
    if originals not in _searches:
        if len(_searches) >= _MACHINES:
            _searches.clear()
        kept = {key: (original, None) for key, (original, _) in swaps.items()}  # so that no address is reused
        _searches[originals] = Search(partial(_bound, kept))
    return _searches[originals]


def _bound(swaps: Swaps, module: Any) -> Iterator[Hit]:
    """Attributes of a Python module (not one of torch's C++, nor ours) that are one of those to swap."""
    content = vars(module) if isinstance(module, ModuleType) else {}
    if not str(content.get("__name__")).startswith(("torch._C", _OURS)):
        for attribute, value in list(content.items()):
            if id(value) in swaps and swaps[id(value)][0] is value:
                yield Hit(module, content, attribute, value)
