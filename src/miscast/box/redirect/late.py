"""Libraries that the program imports while the box is on: patched when they are loaded."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ...running.process.module_arrivals import arriving
from ...running.process.patching import ABSENT, Patch
from . import libraries

if TYPE_CHECKING:
    from .layer import Layer


@contextmanager
def watched(layer: Layer, put: list[tuple[Patch, Any]]) -> Iterator[None]:
    """Patch what is imported within the block. Each patch is added to `put` with the value that it replaced."""

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
