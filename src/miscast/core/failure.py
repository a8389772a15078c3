"""Report failures of Miscast itself in one line, without losing the report.

>>> failures = Failures()
>>> with failures.during("the rule number-out-of-range judged"):
...     {}["x"]
>>> failures.line
"Miscast itself failed: KeyError: 'x' at miscast/judging/rules/…:12, while the rule … judged (please report it)"
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "")
"""The folder of the package `miscast`, as it was imported."""
_PACKAGE = os.path.join(os.path.realpath(FOLDER), "")
_MOST = 8  # tracebacks that are kept: a failure may repeat with every op
_files: dict[str, bool] = {}


def real_path(path: str) -> str:
    """Return a path without links, or the path itself if the program has removed the current folder."""
    try:
        return os.path.realpath(path)
    except OSError:
        return path


def is_ours(file: str) -> bool:
    """Check whether a source file is one of the package `miscast`."""
    known = _files.get(file)
    if known is None:
        known = _files[file] = real_path(file).startswith(_PACKAGE)
    return known


class Failures:
    """All that failed in one check: `line` tells of the first and counts the others, `traceback` holds them whole."""

    def __init__(self, line: str | None = None, text: str = "") -> None:
        """Take an earlier failure: one line, and its traceback."""
        self._first = line
        self._more = 0
        self._noted: BaseException | None = None
        self.traceback = text

    @property
    def line(self) -> str | None:
        """One line, or None if nothing failed."""
        if self._first is None or not self._more:
            return self._first
        return f"{self._first}; and {self._more} more failures"

    def note(self, error: BaseException, during: str) -> None:
        """Record an exception of Miscast's own; one that passes several places is recorded once."""
        if error is self._noted:
            return
        self._noted = error
        if self._first is None:
            self._first = f"Miscast itself failed: {spelled(error)}{_at(error)}, while {during} (please report it)"
        else:
            self._more += 1
        if self._more < _MOST:
            self.traceback += whole(error, error.__traceback__)

    def forget(self) -> None:
        """Hold on to no exception, and by it to no frame of the program."""
        self._noted = None

    @contextmanager
    def during(
        self, what: str, *, but: tuple[type[Exception], ...] = ()
    ) -> Iterator[None]:
        """Record an exception of the block and continue after it; exceptions of the types `but` are raised."""
        try:
            yield
        except but:
            raise
        except Exception as error:  # noqa: BLE001 - Miscast's own, whatever it is; it is told, not swallowed
            self.note(error, what)
            self.forget()


class Raising(Failures):
    """Failures that are raised at once instead."""

    @contextmanager
    def during(
        self,
        what: str,  # noqa: ARG002 - as of `Failures`
        *,
        but: tuple[type[Exception], ...] = (),  # noqa: ARG002
    ) -> Iterator[None]:
        """Run the block without catching anything."""
        yield


def spelled(error: BaseException) -> str:
    """Return type and first line of an exception, also if its own `__str__` fails."""
    try:
        text = next(iter(str(error).splitlines()), "")
    except Exception:  # noqa: BLE001 - a program's exception may do anything
        text = "<unprintable message>"
    name = type(error).__name__
    return f"{name}: {text}"[:400] if text else name


def whole(error: BaseException, start: TracebackType | None) -> str:
    """Return the traceback from `start` on, as Python prints it."""
    import traceback  # and linecache, tokenize: where something failed

    try:
        return "".join(traceback.format_exception(type(error), error, start))
    except Exception:  # noqa: BLE001 - a program's exception may do anything
        return f"{type(error).__name__}: its traceback cannot be printed\n"


def _at(error: BaseException) -> str:
    """Return the innermost line of Miscast in the traceback."""
    import traceback

    found = ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        name = frame.f_code.co_filename
        if is_ours(name):
            path = os.path.relpath(
                real_path(name), os.path.dirname(_PACKAGE.rstrip(os.sep))
            )
            found = f" at {path.replace(os.sep, '/')}:{line}"
    return found
