"""The lines of source around a place, read from its file when the page is made.

If the file has changed or cannot be read, only the line that the report contains is shown.
"""

from __future__ import annotations

import linecache
import os
import textwrap
from dataclasses import dataclass

from ...core.event import Location
from ..wording import place

_LARGEST = 4 << 20  # bytes; a larger file is not read
_LONGEST = 240  # characters; longer lines are cut


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line with its number, 0 if unknown; `here` marks the line of the place itself."""

    number: int
    text: str
    here: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """A place, and the lines around it."""

    at: str
    module: str
    function: str
    lines: tuple[Line, ...]


class Sources:
    """Makes excerpts with `around` lines before and after; `reads` is false for files that a log names."""

    def __init__(self, *, around: int, reads: bool) -> None:
        """Read nothing yet."""
        self._around = around
        self._reads = reads

    def at(self, location: Location) -> Excerpt:
        """Return the excerpt at a location."""
        return Excerpt(
            at=place(location),
            module=location.module or "",
            function=location.function,
            lines=self._lines(location),
        )

    def _lines(self, location: Location) -> tuple[Line, ...]:
        code, number = location.code.strip(), location.line
        lines = lines_of(location.file) if self._reads else []
        if not 0 < number <= len(lines) or not _same(lines[number - 1], code):
            one = Line(number=number, text=code[:_LONGEST], here=True)
            return (one,) if code else ()
        first, last = max(number - self._around, 1), number + self._around
        around = enumerate(lines[first - 1 : last], first)
        filled = [number, *(n for n, line in around if line.strip())]
        first, last = min(filled), max(filled)
        shown = [line.rstrip().expandtabs(4) for line in lines[first - 1 : last]]
        texts = textwrap.dedent("\n".join(shown)).split("\n")
        return tuple(
            Line(number=n, text=text[:_LONGEST], here=n == number)
            for n, text in enumerate(texts, first)
        )


def lines_of(file: str) -> list[str]:
    """Return the lines of a file or of a notebook cell; none if it cannot be read or is too large."""
    try:
        if os.path.exists(file) and (
            not os.path.isfile(file) or os.path.getsize(file) > _LARGEST
        ):
            return []
        linecache.checkcache(file)
        return linecache.getlines(file)
    except (OSError, ValueError):  # a name with a NUL
        return []


def _same(line: str, code: str) -> bool:
    """Check whether a line of a file is the recorded one, or begins it."""
    line = line.strip()
    return bool(code) and (code == line or (len(line) > 3 and code.startswith(line)))
