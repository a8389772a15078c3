"""The boundary between a checked program and its surroundings, as the virtual machine sees it."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ..core.event import Effect
    from ..running.process.everywhere import Names
    from .judging.recorder import Recorder


class Outside(Protocol):
    """A box around the program.

    `files`: whether nothing that it does to files gets out, so that saved files may stand where they are put.
    """

    files: bool

    def entered(self, recorder: Recorder) -> AbstractContextManager[Names]:
        """Return a context in which nothing gets out, and effects are reported to the recorder.

        Gives the names of the functions that stand in for others.
        """

    def sealed(self) -> AbstractContextManager[None]:
        """Return a context that refuses what would get past. Enter it last: it slows down what comes after it."""

    def effects(self) -> tuple[Effect, ...]:
        """Return what the program did to files, as far as this process knows."""
