"""Find `os` and `io` functions that libraries stored before the sandbox. NumPy's `_file_openers` is an example.

In a process that lived before, one look at all objects takes some 70 ms, and is not repeated while no module has come.
A process that was made for the check has no libraries before the box but torch and what it imports: these are known.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from operator import attrgetter
from types import ModuleType
from typing import Any

from ...running.process.patching import Patch
from . import real

_WITH_TORCH = (
    ("importlib.resources._common", "_tempfile.__wrapped__.__kwdefaults__"),
    ("numpy.lib._datasource", "_file_openers._file_openers"),
)
"""Tables that are there when torch has been imported; found by `patches` after `import torch` (2.13, NumPy 2.4)."""


def known(swaps: Mapping[int, tuple[Any, Any]]) -> Iterator[Patch]:
    """Yield the same as `patches`, in a process that has imported only torch."""
    for name, path in _WITH_TORCH:
        with suppress(KeyError, AttributeError):  # not imported, or of another version
            table: dict[Any, Any] = attrgetter(path)(sys.modules[name])
            yield from _standing(swaps, [(table, key) for key in table])


class _Look:
    """The tables that the last search found, each with the key that holds an original."""

    of: tuple[int, bool] = -1, False
    found: tuple[tuple[dict[Any, Any], Any], ...] = ()


_look = _Look()


def patches(swaps: Mapping[int, tuple[Any, Any]]) -> Iterator[Patch]:
    """Yield a patch for each table entry that holds an original."""
    # gc finds no object that is frozen
    now = len(sys.modules), gc.get_freeze_count() > 0
    if _look.of != now:
        originals = [original for original, _ in swaps.values()]
        _look.of, _look.found = now, tuple(_found(originals))
    yield from _standing(swaps, _look.found)


def _standing(
    swaps: Mapping[int, tuple[Any, Any]], places: Iterable[tuple[dict[Any, Any], Any]]
) -> Iterator[Patch]:
    """Yield a patch for each key of a table that holds an original."""
    for table, key in places:
        value = table.get(key)
        if id(value) in swaps:
            yield Patch(table, key, swaps[id(value)][1])


def put_back(swaps: Mapping[int, tuple[Any, Any]]) -> None:
    """Restore originals in libraries that were imported in the sandbox and took a replacement."""
    originals = {id(value): original for original, value in swaps.values()}
    for table, key in _found([value for _, value in swaps.values()]):
        table[key] = originals[id(table[key])]


def _found(functions: list[Any]) -> list[tuple[dict[Any, Any], Any]]:
    everything: list[Any] = list(sys.modules.values())  # some are no modules
    modules = {
        id(vars(module)) for module in everything if isinstance(module, ModuleType)
    }
    wanted = set(map(id, functions))
    found = []
    for holder in gc.get_referrers(*functions):
        if (
            isinstance(holder, dict)
            and id(holder) not in modules
            and not _is_code(holder)
        ):
            found += [
                (holder, key)
                for key, value in list(holder.items())
                if id(value) in wanted
            ]
    return found


def _is_code(holder: dict[Any, Any]) -> bool:
    """Check whether a table is what a class or a script's namespace consists of, or the box's own."""
    return (
        holder is real.FUNCTIONS or "__module__" in holder or "__builtins__" in holder
    )
