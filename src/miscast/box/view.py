"""The view of a program that runs in the sandbox: its output, marked as such, and a progress line."""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Sequence
from contextlib import suppress

from ..core.progress import Ticking
from .gutter import WIDTH, Gutter

_CHUNK = 1 << 16
_OUT, _ERR = 1, 2


class View:
    """The streams of the program's process.

    On a terminal its output goes through a terminal of its own, and each line gets a bar before it. Elsewhere it goes
    where this process's output goes, untouched. `quiet`: it goes nowhere. `alone`: the report alone is to stand on
    stdout, and what the program prints there goes to stderr. `stopped` is the signal that ended the check, 0 for none.
    """

    def __init__(self, *, quiet: bool = False, alone: bool = False) -> None:
        self._quiet, self._alone, self.stopped = quiet, alone, 0
        self._progress = Ticking(sys.stderr)
        self._gutter = Gutter()
        self._master = self._slave = -1
        self._marked: Sequence[int] = ()
        if not quiet and hasattr(os, "openpty"):
            streams = (_ERR,) if alone else (_OUT, _ERR)
            self._marked = tuple(stream for stream in streams if _is_terminal(stream))

    def watched(self) -> bool:
        """Check whether somebody looks."""
        return _is_terminal(_ERR)

    def enter(self) -> None:
        """Connect the program's process to the view's streams; called in that process."""
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (_OUT, _ERR):
            if self._quiet:
                os.dup2(null, stream)
            elif stream in self._marked:
                os.dup2(self._slave, stream)
        if self._alone and not self._quiet:
            os.dup2(_ERR, _OUT)
        os.close(null)
        for end in (self._master, self._slave):
            if end >= 0:
                os.close(end)

    def open(self) -> None:
        """Open the terminal, before the program's process is made."""
        if self._marked:
            try:
                self._master, self._slave = _terminal(self._marked[0])
            # the system has none left: what the program prints stays unmarked
            except OSError:
                self._marked = ()

    def entered(self) -> None:
        """Close this process's copy of the program's end, after the other process has entered."""
        if self._slave >= 0:
            os.close(self._slave)
            self._slave = -1

    def outputs(self) -> Sequence[int]:
        """Return what becomes readable when the program prints."""
        return [] if self._master < 0 else [self._master]

    def show(self, output: int) -> bool:
        """Print what there is to read; False if nothing more will come."""
        try:
            data = os.read(output, _CHUNK)
        except OSError:  # all ends of the terminal are closed
            data = b""
        if data:
            self._progress.clear()
            _write(self._marked[0], self._gutter.marked(data))
        return bool(data)

    def close(self) -> None:
        """Print what is left, and end at the start of a line."""
        if self._master >= 0:
            os.set_blocking(self._master, False)
            while self.show(self._master):
                pass
            os.close(self._master)
            self._master = -1
        self.aside()

    def say(self, text: str) -> None:
        """Show where the program is."""
        self._progress.say(text)

    def tick(self) -> None:
        """Draw the line of progress, if it is time; not over a line that the program has begun (a bar of its own)."""
        if self._gutter.fresh:
            self._progress.tick()

    def aside(self) -> None:
        """Be at the start of a line, for what others print."""
        self._progress.clear()
        if self._marked:
            _write(self._marked[0], self._gutter.end())

    def foreground(self) -> bool:
        """Check whether a terminal sends its interrupt to the program as well."""
        with suppress(OSError):
            return (
                os.tcgetpgrp(sys.__stdin__.fileno() if sys.__stdin__ else 0)
                == os.getpgrp()
            )
        return False


def _is_terminal(stream: int) -> bool:
    try:
        return os.isatty(stream)
    except OSError:
        return False


def _terminal(like: int) -> tuple[int, int]:
    """Open a terminal for the program, as wide as the real one less the bar; its output is not changed."""
    import fcntl
    import termios

    master, slave = os.openpty()
    settings = termios.tcgetattr(slave)
    settings[1] &= ~termios.OPOST
    termios.tcsetattr(slave, termios.TCSANOW, settings)
    with suppress(OSError):
        rows, columns, *pixels = struct.unpack(
            "4H", fcntl.ioctl(like, termios.TIOCGWINSZ, bytes(8))
        )
        fcntl.ioctl(
            slave,
            termios.TIOCSWINSZ,
            struct.pack("4H", rows, max(columns - WIDTH, 1), *pixels),
        )
    return master, slave


def _write(stream: int, data: bytes) -> None:
    while data:
        data = data[os.write(stream, data) :]
