"""JSON as Python's own parser accepts it (NaN, duplicate keys), also with comments, with the place of each value.

The strings, numbers and messages are those of the standard library's decoder; what it lacks is where a value stood.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from json import JSONDecodeError
from json.decoder import scanstring  # type: ignore[attr-defined]  # not in the stubs; json.JSONDecoder uses it

from ...core.regex import regex
from ..setting import Document, Entry, Lines, TooLargeError, UnreadableError, Value
from .worth import worthwhile

__all__ = ["SUFFIXES", "read", "worthwhile"]

SUFFIXES = (".json", ".jsonc", ".json5")
_DEEPEST = 200
_MOST = 100_000
"""Most values of a configuration; a file with more is data."""
_BLANK = regex(r"[ \t\r\n]*")
_SKIPPED = " \t\r\n/#"
"""The start of blanks and comments."""
_COMMENT = regex(r"//[^\n]*|#[^\n]*")
_NUMBER = regex(r"-?(?:0|[1-9][0-9]{0,400})(\.[0-9]{1,400})?([eE][-+]?[0-9]{1,9})?")
_CONSTANTS: dict[str, Value] = {
    "true": True, "false": False, "null": None, "NaN": float("nan"), "Infinity": float("inf"),
    "-Infinity": float("-inf"),
}  # fmt: skip


def read(lines: Lines, text: str) -> Iterator[Document]:
    """Yield the document of a JSON file."""
    reader = _Reader(lines, text)
    try:
        reader.whole()
    except JSONDecodeError as error:
        raise UnreadableError(
            error.msg.removesuffix(" at"), error.lineno, error.colno
        ) from None
    yield Document(origin="file", file=lines.file, entries=tuple(reader.entries))


class _Reader:
    __slots__ = ("_lines", "_text", "entries")

    def __init__(self, lines: Lines, text: str) -> None:
        self._lines, self._text = lines, text
        self.entries: list[Entry] = []

    def whole(self) -> None:
        """Read the text's value."""
        end = self.skip(self.value(self.skip(0), ()))
        if end != len(self._text):
            raise JSONDecodeError("Extra data", self._text, end)

    def skip(self, at: int) -> int:
        """Return the offset after blanks and comments."""
        text = self._text
        if text[at : at + 1] not in _SKIPPED:
            return at
        while True:
            at = _match(_BLANK, text, at)
            if text.startswith("/*", at):
                end = text.find("*/", at + 2)
                if end < 0:
                    raise JSONDecodeError("Unterminated comment starting at", text, at)
                at = end + 2
            elif found := _COMMENT.match(text, at):
                at = found.end()
            else:
                return at

    def value(self, at: int, key: tuple[str, ...]) -> int:
        """Read the value at an offset, and return the offset after it."""
        if len(key) > _DEEPEST:
            raise JSONDecodeError("Nested too deeply", self._text, at)
        opening = self._text[at : at + 1]
        if opening == "{":
            return self._object(at, key)
        if opening == "[":
            return self._array(at, key)
        value, end = self._scalar(at)
        text, place = self._text[at:end], self._lines.at(at, end)
        if len(self.entries) >= _MOST:
            reason = f"More than {_MOST:,} values"
            raise TooLargeError(reason, place.line, place.column)
        self.entries.append(Entry(key=key, value=value, text=text, at=place))
        return end

    def _scalar(self, at: int) -> tuple[Value, int]:
        text = self._text
        if text[at : at + 1] == '"':
            read: tuple[str, int] = scanstring(text, at + 1, True)
            return read
        for word, value in _CONSTANTS.items():
            if text.startswith(word, at):
                return value, at + len(word)
        number = _NUMBER.match(text, at)
        if number is None:
            raise JSONDecodeError("Expecting value", text, at)
        whole = number[1] is None and number[2] is None
        return (int(number[0]) if whole else float(number[0])), number.end()

    def _object(self, at: int, key: tuple[str, ...]) -> int:
        text = self._text
        at = self.skip(at + 1)
        if text[at : at + 1] == "}":
            return at + 1
        while True:
            if text[at : at + 1] != '"':
                raise JSONDecodeError(
                    "Expecting property name enclosed in double quotes", text, at
                )
            name, at = scanstring(text, at + 1, True)
            at = self.skip(at)
            if text[at : at + 1] != ":":
                raise JSONDecodeError("Expecting ':' delimiter", text, at)
            at = self.skip(self.value(self.skip(at + 1), (*key, name)))
            if text[at : at + 1] == "}":
                return at + 1
            at = self._comma(at)

    def _array(self, at: int, key: tuple[str, ...]) -> int:
        at, index = self.skip(at + 1), 0
        if self._text[at : at + 1] == "]":
            return at + 1
        while True:
            at = self.skip(self.value(at, (*key, str(index))))
            if self._text[at : at + 1] == "]":
                return at + 1
            at, index = self._comma(at), index + 1

    def _comma(self, at: int) -> int:
        if self._text[at : at + 1] != ",":
            raise JSONDecodeError("Expecting ',' delimiter", self._text, at)
        return self.skip(at + 1)


def _match(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at
