"""The Python box: what a program does to files happens in a scratch layer; what it does to strangers, not at all.

    layer = Layer(folder, tell)
    with redirected(layer):
        run()
    layer.effects()

For where the system gives no box of its own (containers, macOS, Windows), or the check runs in a living process. It
covers what goes through Python's functions and the libraries of `libraries.py`; a hook on Python's audit events refuses
what slips past. Not covered: other C, C++ or Rust code that opens files itself; files that were open for writing
before; children of `multiprocessing` that are started anew (`spawn`, `forkserver`); and what a command that is known to
only look does against its habit.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from types import ModuleType
from typing import Any

from ...trace.patching import Patch, applied
from ...trace.search import Hit, Search
from . import altering, captured, commands, libraries, looking, meeting_points, opening, real, signals
from .guard import guarded
from .late import watched
from .layer import Layer, Tell

_searches: dict[frozenset[int], Search] = {}


@contextmanager
def redirected(layer: Layer) -> Iterator[Layer]:
    """Within, the program's files are the layer's; also where a module has a function by name.

    Files that are still open at the end go on writing to the layer's. The folder is the caller's to remove.
    """
    wanted = list(patches(layer))
    swaps = swapped(wanted)
    named = [Patch(hit.owner, hit.name, swaps[id(hit.value)][1]) for hit in _holders(swaps)]
    before = set(sys.modules)
    with applied([*wanted, *named]), entered(layer) as late:
        yield layer
    back = {id(new): (new, old) for old, new in swaps.values()} | {id(p.value): (p.value, old) for p, old in late}
    for name in set(sys.modules) - before:
        for hit in _bound(back, sys.modules.get(name)):
            setattr(hit.owner, hit.name, back[id(hit.value)][1])


@contextmanager
def entered(layer: Layer) -> Iterator[list[tuple[Patch, Any]]]:
    """The layer is on, the guard watches, and libraries that are imported now are patched.

    Gives what those got, and what it replaced. The patches of `patches` are the caller's to apply around it.
    """
    late: list[tuple[Patch, Any]] = []
    layer.union.cwd = home = real.getcwd()
    with watched(layer, late), guarded(layer):
        layer.on = True
        try:
            yield late
        finally:
            layer.on = False
            if layer.drifted:
                with suppress(OSError):
                    real.chdir(home)
            if not layer.still:
                importlib.invalidate_caches()


def patches(layer: Layer) -> Iterator[Patch]:
    """What stands where while the layer is on, without the names that other modules imported."""
    yield Patch(sys, "dont_write_bytecode", True)
    found = [
        *opening.patches(layer),
        *looking.patches(layer),
        *altering.patches(layer),
        *commands.patches(layer),
        *signals.patches(layer),
        *meeting_points.patches(layer),
    ]
    yield from found
    yield from captured.patches(swapped(found))
    yield from libraries.patches(layer)


def swapped(wanted: list[Patch]) -> dict[int, tuple[Any, Any]]:
    """By the address of a module's original function: it, and what stands for it."""
    return {
        id(original): (original, patch.value)
        for patch in wanted
        if isinstance(patch.owner, ModuleType) and callable(original := vars(patch.owner).get(patch.name))
    }


def _holders(swaps: dict[int, tuple[Any, Any]]) -> Search:
    """Where in all modules the originals stand; looks only at what is new since the last time."""
    originals = frozenset(swaps)
    if originals not in _searches:
        _searches.clear()
        kept = {key: (original, None) for key, (original, _) in swaps.items()}  # so that no address is reused
        _searches[originals] = Search(partial(_bound, kept))
    return _searches[originals]


_OURS = f"{__name__.partition('.')[0]}."


def _bound(swaps: dict[int, tuple[Any, Any]], module: Any) -> Iterator[Hit]:
    content = vars(module) if isinstance(module, ModuleType) else {}
    if not str(content.get("__name__")).startswith(_OURS):
        for attribute, value in list(content.items()):
            if id(value) in swaps and swaps[id(value)][0] is value:
                yield Hit(module, content, attribute, value)


__all__ = ["Layer", "Tell", "entered", "patches", "redirected", "swapped"]
