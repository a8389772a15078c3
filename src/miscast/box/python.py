"""The Python box: where the system forbids namespaces, Python's own calls lead to a layer."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..event import Effect
from ..trace.patching import Patch
from .network import Mode, Network, patches as closed

if TYPE_CHECKING:
    from ..trace.recorder import Recorder

_WRITABLE = ("/dev", "/proc")


class PythonBox:
    """Files change below `folder` only."""

    def __init__(self, folder: str, *, files: bool = True, network: Mode = "hub", confined: bool = False) -> None:
        """For one run. `folder` is empty, and removed by who made it.

        `confined`: this process ends with the check, so Landlock, which cannot be taken off, can stand behind.
        """
        self.files = files
        self._folder, self._network = folder, network
        if confined and files:
            from .landlock import confine

            confine([folder], [path for path in _WRITABLE if os.path.isdir(path)])

    def patches(self, recorder: Recorder) -> Iterator[Patch]:
        """Every call of Python's that reaches files or processes, and the network."""
        yield from closed(Network(tell=recorder.effect, mode=self._network))

    def effects(self) -> tuple[Effect, ...]:
        """What the layer holds."""
        return ()
