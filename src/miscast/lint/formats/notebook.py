"""Notebooks: the code cells as one program, and the commands after `!`; nothing is executed.

Places are lines of the file; nothing in them is offered to be replaced, for a cell's line stands in a string there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from ...core.frozen import replace
from ..setting import Document, Entry, Lines, Place
from . import json, python, shell

SUFFIXES = (".ipynb",)
_SCRIPTS = ("%%bash", "%%sh", "%%script bash")


def worthwhile(text: str) -> bool:
    """Check whether a notebook that was not named may have a setting."""
    return python.worthwhile(text) or "--" in text


def read(lines: Lines, text: str) -> Iterator[Document]:
    """Yield the settings in code, then the commands that it starts."""
    (whole,) = json.read(lines, text)
    cells = [*_cells(whole)]
    code = _Text([line for cell in cells for line in _as_python(cell)])
    commands = _Text([line for cell in cells for line in _as_shell(cell)])
    for part, reader in ((code, python.read), (commands, shell.read)):
        for document in reader(Lines(lines.file, part.text), part.text):
            yield part.placed(document)


class _Line(NamedTuple):
    """A line of a cell, and the place of its string in the file."""

    text: str
    at: Place


class _Text:
    """Lines of cells as one text, whose places map back to the file."""

    __slots__ = ("_lines", "text")

    def __init__(self, lines: list[_Line]) -> None:
        self._lines = lines
        self.text = "".join(f"{line.text}\n" for line in lines)

    def placed(self, document: Document) -> Document:
        """Return a document of the text with places in the file."""
        entries = tuple(
            replace(entry, at=self._moved(entry.at), marks=())
            for entry in document.entries
        )
        at = self._moved(document.at) if document.at else None
        return replace(document, entries=entries, at=at)

    def _moved(self, at: Place) -> Place:
        line = self._lines[at.line - 1]
        # after the opening quote; escapes before it would shift it further
        column = line.at.column + at.column
        return replace(at, line=line.at.line, column=column, end=0)


def _cells(notebook: Document) -> Iterator[list[_Line]]:
    """Yield the lines of each code cell."""
    values = notebook.values()
    found: dict[str, list[_Line]] = {}
    for entry in notebook.entries:
        if entry.key[:1] == ("cells",) and entry.key[2:3] == ("source",):
            found.setdefault(entry.key[1], []).extend(_split(entry))
    for index, lines in found.items():
        kind = values.get(f"cells.{index}.cell_type")
        if kind is not None and kind.value == "code":
            yield lines


def _split(entry: Entry) -> Iterator[_Line]:
    for text in str(entry.value).splitlines():
        yield _Line(text, entry.at)


def _as_python(cell: list[_Line]) -> list[_Line]:
    """Return a cell without its magics; nothing if it is not Python."""
    if cell and cell[0].text.startswith("%%"):
        return []
    lines = [_without_magic(line) for line in cell]
    try:
        ast.parse("\n".join(line.text for line in lines))
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return []
    return lines


def _without_magic(line: _Line) -> _Line:
    bare = line.text.lstrip()
    if not bare.startswith(("!", "%")):
        return line
    indent = len(line.text) - len(bare)
    return line._replace(text=f"{' ' * indent}pass")


def _as_shell(cell: list[_Line]) -> Iterator[_Line]:
    """Yield the commands after `!`, with their continuation lines, or a whole shell cell."""
    if cell and cell[0].text.startswith(_SCRIPTS):
        yield from cell[1:]
        return
    goes_on = False
    for line in cell:
        bare = line.text.lstrip()
        if goes_on or bare.startswith("!"):
            yield (
                line if goes_on else line._replace(text=line.text.replace("!", " ", 1))
            )
            goes_on = bare.endswith("\\")
