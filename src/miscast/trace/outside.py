"""What stands between a checked program and the world outside, as the virtual machine sees it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

from .patching import Patch

if TYPE_CHECKING:
    from ..event import Effect
    from .recorder import Recorder


class Outside(Protocol):
    """A box around the program.

    `files`: whether nothing that it does to files gets out, so that saved files may stand where they are put.
    """

    files: bool

    def patches(self, recorder: Recorder) -> Iterator[Patch]:
        """Calls that must be answered above the box; what is kept in is told to the recorder."""

    def effects(self) -> tuple[Effect, ...]:
        """What the program did to files, as far as this process knows."""
