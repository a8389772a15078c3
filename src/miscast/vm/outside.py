"""What stands between a checked program and the world outside, as the virtual machine sees it."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ..event import Effect
    from ..process.everywhere import Names
    from .judging.recorder import Recorder


class Outside(Protocol):
    """A box around the program.

    `files`: whether nothing that it does to files gets out, so that saved files may stand where they are put.
    """

    files: bool

    def entered(self, recorder: Recorder) -> AbstractContextManager[Names]:
        """Within, nothing gets out, and what is kept in is told to the recorder.

        Gives the names of the functions that stand in for others.
        """

    def sealed(self) -> AbstractContextManager[None]:
        """Within, what would get past is refused. Entered last: it makes what comes after it slower."""

    def effects(self) -> tuple[Effect, ...]:
        """What the program did to files, as far as this process knows."""
