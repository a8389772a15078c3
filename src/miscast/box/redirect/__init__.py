"""The Python box: what a program does to files happens in a scratch layer; what it does to strangers, not at all.

    layer = Layer(folder, tell)
    with redirected(layer), guarded(layer):
        run()
    layer.effects()

For where the system gives no box of its own (containers, macOS, Windows), or the check runs in a living process. It
covers what goes through Python's functions and the libraries of `libraries.py`; a hook on Python's audit events refuses
what slips past. Not covered: other C, C++ or Rust code that opens files itself; files that were open for writing
before; and what a command that is known to only look does against its habit.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from ...running.process.everywhere import Names, Swaps, everywhere, swapped
from ...running.process.on_import import later
from ...running.process.patching import Patch
from . import (
    altering,
    captured,
    commands,
    libraries,
    looking,
    meeting_points,
    opening,
    real,
    signals,
    stored,
)
from .guard import guarded
from .layer import Layer, Tell


@contextmanager
def redirected(layer: Layer, *, ends: bool = False) -> Iterator[Names]:
    """Redirect the program's files to the layer within the block, also where a module imported a function by name.

    Gives the names of what stands in. Files that are still open at the end go on writing to the layer's; the folder is
    the caller's to remove. `ends`: the process was made for this, and ends with it; no tables need be looked for.
    """
    before = set(sys.modules)
    swaps: Swaps = {}
    also = stored.known if ends else stored.patches
    come = dict.fromkeys(libraries.NAMES, lambda m: libraries.of(layer, m.__name__))
    try:
        with (
            everywhere(list(patches(layer)), also=also) as (swaps, names),
            later(come, loaded=False),
            _on(layer),
        ):
            yield names
    finally:
        if set(sys.modules) - before and not ends:
            stored.put_back(swaps)


@contextmanager
def _on(layer: Layer) -> Iterator[None]:
    layer.union.cwd = home = real.getcwd()
    layer.on = True
    try:
        yield
    finally:
        layer.on = False
        if layer.drifted:
            with suppress(OSError):
                real.chdir(home)
        if not layer.still:
            importlib.invalidate_caches()


def patches(layer: Layer) -> Iterator[Patch]:
    """Yield the patches for the layer, without those for names that other modules imported."""
    yield Patch(sys, "dont_write_bytecode", True)
    found = [
        *opening.patches(layer), *looking.patches(layer), *altering.patches(layer), *commands.patches(layer),
        *signals.patches(layer), *meeting_points.patches(layer),
    ]  # fmt: skip
    yield from found
    yield from captured.patches(swapped(found))
    yield from libraries.patches(layer)


__all__ = ["Layer", "Tell", "guarded", "patches", "redirected"]
