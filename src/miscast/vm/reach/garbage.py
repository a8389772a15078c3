"""Python's search for garbage writes into every object that it looks at: each fork that waits would hold a copy of all.

So what is there when a fork is made is looked at no more, but where the program itself asks for that.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from ...running.process.patching import Patch, applied

_WHOLE = 2


class Garbage:
    """The garbage of a run and its forks."""

    def __init__(self) -> None:
        """Start with no object excluded from collection."""
        self._spared = False

    def spare(self) -> None:
        """Exclude the existing objects from collection from now on; young ones are collected once more before."""
        if gc.isenabled():
            gc.collect(_WHOLE - 1)
        gc.freeze()
        self._spared = True

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Keep the program's `gc.collect()` complete within the block; include all objects again after it."""
        collect = gc.collect

        def collected(generation: int = _WHOLE) -> int:
            if not self._spared or generation != _WHOLE:
                return collect(generation)
            gc.unfreeze()
            try:
                return collect()
            finally:
                gc.freeze()

        try:
            with applied([Patch(gc, "collect", collected)]):
                yield
        finally:
            if self._spared:
                gc.unfreeze()
