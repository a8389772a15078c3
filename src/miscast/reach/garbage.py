"""Python's search for garbage writes into every object that it looks at: each fork that waits would hold a copy of all.

So what is there when a fork is made is looked at no more, but where the program itself asks for that.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

from ..process.patching import Patch, applied

_WHOLE = 2


class Garbage:
    """Of one run, and of its forks."""

    def __init__(self) -> None:
        """All is looked at."""
        self._spared = False

    def spare(self) -> None:
        """From now on not what is there; what is young is looked at once more before."""
        if gc.isenabled():
            gc.collect(_WHOLE - 1)
        gc.freeze()
        self._spared = True

    @contextmanager
    def watched(self) -> Iterator[None]:
        """In this block a program's `gc.collect()` looks at all; behind it all is looked at again."""
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
