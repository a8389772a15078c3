"""`miscast run --shadow`: the program as `python` runs it, from its import of torch on with a shadow beside it."""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, TextIO

from ..core.progress import Ticking
from . import import_hook

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..numbers.values.against import Against
    from ..numbers.values.session import Session
    from ..report import Report


class Shadowed:
    """Called, it runs the program; `tell` gets the report when that has ended, however it did."""

    def __init__(
        self,
        program: Callable[[], int],
        tell: Callable[[Report], object],
        looks: Callable[..., Session | Against],
    ) -> None:
        """Take the program; `looks` creates the session, from a function that shows progress."""
        self._program, self._tell, self._looks = program, tell, looks
        self._session: Session | Against | None = None
        self._stack = ExitStack()
        self._process = os.getpid()

    def __call__(self) -> int:
        """Return the program's exit code."""
        import_hook.on_import("torch", self._begin)
        ended = None
        try:
            return self._program()
        except SystemExit:
            raise
        except BaseException as error:
            ended = f"the program ended with {type(error).__name__}: {error}".partition(
                "\n"
            )[0]
            raise
        finally:
            self._end(ended)

    def _begin(self) -> None:
        """Start the session once torch is imported, before anything is computed."""
        from .shadowed import line

        self._session = self._looks(progress=line(sys.stderr))
        self._stack.enter_context(self._session.on())

    def _end(self, ended: str | None) -> None:
        self._stack.close()
        if os.getpid() == self._process and self._session is not None:
            self._tell(self._session.report(ended=ended))


def line(file: TextIO) -> Callable[[int, int], None]:
    """Return a function that shows ops and steps on `file`, if that is a terminal; no thread calls it."""
    ticking = Ticking(file)

    def say(ops: int, steps: int) -> None:
        ticking.say(f"shadow: {ops:,} ops, {steps:,} steps")
        ticking.tick()

    return say
