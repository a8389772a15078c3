"""The Python box: where the system forbids namespaces, Python's own calls lead to a layer."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..event import Effect
from ..trace.patching import Patch

if TYPE_CHECKING:
    from ..trace.recorder import Recorder

_WRITABLE = ("/dev", "/proc")


class PythonBox:
    """Files change below `folder` only. `confined`: this process ends with the check, so Landlock can stand behind."""

    def __init__(self, folder: str, *, confined: bool = False) -> None:
        """For one run. `folder` is empty, and removed by who made it."""
        self._folder = folder
        if confined:
            from .landlock import confine

            confine([folder], [path for path in _WRITABLE if os.path.isdir(path)])

    def patches(self, recorder: Recorder) -> Iterator[Patch]:
        """Every call of Python's that reaches files or processes."""
        yield from ()

    def effects(self) -> tuple[Effect, ...]:
        """What the layer holds."""
        return ()
