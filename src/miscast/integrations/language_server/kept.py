"""The findings of the last `check`, as `miscast check --format json --output FILE` has kept them, at their lines.

A file that was edited since is looked through for the finding's line; where the line is no more, the finding is stale.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ...core.finding import Finding
from ...report import Report, reading
from .diagnostics import Lines

_NEAR = 200  # lines


class Kept:
    """A report's file, read again when it is another."""

    def __init__(self, file: str | None) -> None:
        """Take the report's file; None if there is no such file."""
        self._file = file
        self._stamp: tuple[int, int] = (0, 0)
        self._report: Report | None = None
        self._folder = os.path.dirname(os.path.abspath(file)) if file else ""

    def findings(self, file: str, lines: Lines) -> Iterator[Finding]:
        """Yield the findings at a file of this real path, each at its line's current place."""
        for finding in self._read():
            at = finding.location
            if os.path.realpath(os.path.join(self._folder, at.file)) == file:
                line = _now(lines(file), at.line, at.code)
                if line:
                    yield replace(finding, location=replace(at, file=file, line=line))

    def _read(self) -> Sequence[Finding]:
        if self._file is None:
            return ()
        try:
            stat = os.stat(self._file)
            stamp = stat.st_mtime_ns, stat.st_size
            if stamp != self._stamp:
                with open(self._file, encoding="utf-8") as stream:
                    self._report = reading.loads(stream.read())
                self._stamp = stamp
        except (OSError, ValueError):
            self._report = None  # not there yet, or half of it
        return self._report.findings if self._report is not None else ()


def _now(text: Sequence[str], line: int, code: str) -> int:
    """Return the line that says what the finding's did, the nearest one; 0 if none does."""
    if not code:
        return line
    found = [
        number
        for number, one in enumerate(text, 1)
        if one.strip()[:200] == code.strip()[:200]
    ]
    nearest = min(found, key=lambda number: abs(number - line), default=0)
    return nearest if nearest and abs(nearest - line) <= _NEAR else 0
