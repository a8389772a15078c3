"""A line on the terminal that says that, and where, a long run is at work. Nothing where nobody looks.

miscast  12 s  unet.up_blocks.0.attentions.2.transformer_blocks.7.attn1
"""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import TextIO

AFTER = 1.0
EVERY = 0.2
OFF = "MISCAST_NO_PROGRESS"
"""The variable that `--no-progress` sets. This process and its children draw nothing."""
_CLEAR = "\r\x1b[K"


def wanted(file: TextIO) -> bool:
    """Check whether somebody looks at the file, and wants to see a line that changes."""
    return (
        file.isatty() and not os.environ.get(OFF) and os.environ.get("TERM") != "dumb"
    )


class Progress:
    """Shows the elapsed time and `where()` on `file` while its block runs, if `file` is a terminal.

    It looks from a thread of its own, `AFTER` seconds after the start and then every `EVERY` seconds. The cursor is
    left at the start of the line, so that what the program prints overwrites it.
    """

    def __init__(self, file: TextIO) -> None:
        """Take the file; set `where` once there is a place to show."""
        self.file = file
        self.where: Callable[[], str] = str
        self._done = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Progress:
        if wanted(self.file):
            self._thread = threading.Thread(
                target=self._show, name="miscast-progress", daemon=True
            )
            self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._done.set()
        if self._thread is not None:
            self._thread.join(timeout=1.0)

    def watch(self, where: Callable[[], str]) -> None:
        """Show this place from now on."""
        self.where = where

    def _show(self) -> None:
        with Ticking(self.file) as line:
            while not self._done.wait(EVERY):
                line.say(self.where())
                line.tick()


class Ticking:
    """The same line without a thread, for work that waits: it is drawn when `tick` is called.

    A process that will be forked, or whose work is done by another one, has no need of a thread.
    """

    def __init__(self, file: TextIO) -> None:
        self.file = file
        self._text = ""
        self._begin = time.monotonic()
        self._drawn = 0.0

    def __enter__(self) -> Ticking:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.clear()

    def say(self, text: str) -> None:
        """Show this text from now on."""
        self._text = text

    def tick(self) -> None:
        """Draw the line, if it is time."""
        now = time.monotonic()
        if (
            now - self._begin < AFTER
            or now - self._drawn < EVERY
            or not wanted(self.file)
        ):
            return
        width = shutil.get_terminal_size().columns
        line = f"miscast  {now - self._begin:.0f} s  {self._text}"[: width - 1]
        self.file.write(f"{_CLEAR}\x1b[2m{line}\x1b[0m\r")
        self.file.flush()
        self._drawn = now

    def clear(self) -> None:
        """Leave the terminal's line to others."""
        if self._drawn:
            self.file.write(_CLEAR)
            self.file.flush()
            self._drawn = 0.0
