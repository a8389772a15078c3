"""Libraries that the program imports while the box is on: patched when they are loaded."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ...process.module_arrivals import arriving
from ...process.patching import ABSENT, Patch
from . import libraries

if TYPE_CHECKING:
    from .layer import Layer


@contextmanager
def watched(layer: Layer, put: list[tuple[Patch, Any]]) -> Iterator[None]:
    """Within, what is imported is patched. What was put where, and what was there before, is added to `put`."""

    def arrived(module: ModuleType) -> None:
        for patch in libraries.of(layer, module.__name__):
            put.append((patch, vars(patch.owner).get(patch.name, ABSENT)))
            setattr(patch.owner, patch.name, patch.value)

    try:
        with arriving(libraries.NAMES, arrived):
            yield
    finally:
        for (owner, name, _), value in reversed(put):
            if value is ABSENT:
                delattr(owner, name)
            else:
                setattr(owner, name, value)
