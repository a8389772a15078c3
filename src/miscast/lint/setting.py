"""A configuration's content: documents of entries, each value with its file, line and column.

    Entry(key=("bf16", "enabled"), value=True, text="true", at=Place(file="ds_config.json", line=7, column=16, …))

A value that only a run knows (an unset `${VAR}`, a Python name) is `Unknown`: neither right nor wrong.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Literal

from ..core import dtypes
from ..core.event import Location
from ..core.frozen import dataclass, replace
from ..core.regex import regex

Origin = Literal["file", "environment", "command", "call"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A value's place: 1-based line and column, the column after it (0: not on one line), and the line's text."""

    file: str
    line: int
    column: int
    end: int = 0
    code: str = ""

    @property
    def location(self) -> Location:
        """The place as a report has it."""
        return Location(
            file=self.file,
            line=self.line,
            column=self.column,
            code=self.code.strip()[:200],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """A value that depends on code or the environment; `text` is its spelling."""

    text: str

    def __str__(self) -> str:
        return self.text


Value = str | int | float | bool | None | Unknown


_DTYPE = regex(
    r"\d|bool|byte|char|double|float|half|int|long|short|single", re.IGNORECASE
)
"""A part of every dtype's name: searching a similar dtype for other words is slow."""


def named_dtype(value: Value) -> str:
    """Return the canonical name of the dtype that a value names ("bf16", "torch.bfloat16", "BFLOAT_16"); else ""."""
    if not isinstance(value, str) or not _DTYPE.search(value):
        return ""
    try:
        return dtypes.parse(value)
    except ValueError:
        return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One key and its value. `text` is the value's spelling, `flag` marks an option without a value."""

    key: tuple[str, ...]
    value: Value
    text: str
    at: Place
    flag: bool = False
    marks: tuple[tuple[int, Place], ...] = ()
    """Places in the file of a string of several lines, each for the characters from an offset on."""

    @property
    def path(self) -> str:
        """The key as one string: "bf16.enabled"."""
        return ".".join(self.key)


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """Settings that are read together: a file, the environment that a file sets, a command line, or a call.

    `name` is the program of a command ("accelerate launch", "train_network.py") or the callee of a call.
    """

    origin: Origin
    file: str
    entries: tuple[Entry, ...]
    name: str = ""
    at: Place | None = None
    group: int = 0
    """Documents of one file with the same group work together: a launcher and the script that it starts."""
    module: str = ""
    """The module from which a call's callee is imported, if the file has it."""
    loaded: int = 0
    """The line of Python code that imports torch, 0 if there is none."""

    def values(self) -> Mapping[str, Entry]:
        """Return the entries by path; the last one of a key given twice."""
        return {entry.path: entry for entry in self.entries}


class UnreadableError(ValueError):
    """A file does not have its format; the message is one line, `line` and `column` are 0 if unknown."""

    def __init__(self, reason: str, line: int = 0, column: int = 0) -> None:
        super().__init__(reason)
        self.line, self.column = line, column


class TooLargeError(UnreadableError):
    """The file is too large for a configuration."""


LINE_END = regex("(\r\n|\r|\n)")
"""The end of a line; a group, so that splitting keeps it."""


class Lines:
    """The lines of a text, to turn an offset into a place; split when the first place is needed."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self._text = text
        self._ascii = text.isascii()

    @cached_property
    def _pieces(self) -> list[str]:
        """The lines and their ends, alternating."""
        return LINE_END.split(self._text)

    @cached_property
    def _lines(self) -> list[str]:
        return self._pieces[::2]

    @cached_property
    def _starts(self) -> list[int]:
        """The offset at which each line begins, and the text's end."""
        ends = itertools.accumulate(map(len, self._pieces))
        return [0, *itertools.islice(ends, 1, None, 2), len(self._text)]

    def place(self, line: int, column: int, width: int = 0) -> Place:
        """Return the place at a 0-based line and column, `width` characters long."""
        code = self._line(line)
        end = column + width if width and column + width <= len(code) else -1
        return Place(
            file=self.file, line=line + 1, column=column + 1, end=end + 1, code=code
        )

    def bytes(self, line: int, start: int, end: int) -> Place:
        """Return the place of a 0-based line's bytes from `start` to `end`; `end` 0: it ends on another line."""
        if not self._ascii:
            code = self._line(line).encode()
            end = len(code[:end].decode(errors="ignore"))
            start = len(code[:start].decode(errors="ignore"))
        return self.place(line, start, max(end - start, 0))

    def at(self, start: int, end: int) -> Place:
        """Return the place of the characters from offset `start` to `end`."""
        # an offset after the end is after the last line's last character
        line = min(bisect_right(self._starts, start), len(self._lines)) - 1
        return self.place(line, start - self._starts[line], end - start)

    def _line(self, line: int) -> str:
        """Return a 0-based line; "" after the last one, as some parsers count other line ends."""
        return self._lines[line] if line < len(self._lines) else ""


def interpolated(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Return a document's entries with OmegaConf's `${trainer.precision}` as that key's value; others stay unknown."""
    given = tuple(entries)
    values = {entry.path: entry.value for entry in given}
    return tuple(
        replace(entry, value=values.get(entry.value.text[2:-1], entry.value))
        if isinstance(entry.value, Unknown)
        else entry
        for entry in given
    )
