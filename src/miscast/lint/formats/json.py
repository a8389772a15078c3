"""JSON as Python's own parser accepts it (NaN, duplicate keys), also with comments, with the place of each value.

Values and messages are the standard library's, whose parser of objects and arrays is given a scanner that notes where a
value stood.
"""

from __future__ import annotations

from collections.abc import Iterator
from json import JSONDecodeError, JSONDecoder
from json.decoder import JSONArray, JSONObject  # type: ignore[attr-defined]  # not in the stubs; the decoder's own
from typing import Any, NamedTuple

from ...core.regex import regex
from ..setting import Document, Entry, Lines, TooLargeError, UnreadableError, Value
from .worth import worthwhile

__all__ = ["SUFFIXES", "read", "worthwhile"]

SUFFIXES = (".json", ".jsonc", ".json5")
_MOST = 100_000
"""Most values of a configuration; a file with more is data."""
_BLANKS = " \t\r\n"
_COMMENT = regex(r'"(?:[^"\\]|\\.)*"?|//[^\n]*|#[^\n]*|/\*(?s:.*?)(?:\*/|\Z)')
"""A comment; or a string, in which there is none."""
_SIGN = regex(r"[^\n]")


class _Scalar(NamedTuple):
    value: Value
    start: int
    end: int


class _Object(list[Any]):
    """The names and values of an object; an array is a plain list."""


def read(lines: Lines, text: str) -> Iterator[Document]:
    """Yield the document of a JSON file."""
    plain = _COMMENT.sub(_blank, text) if "/" in text or "#" in text else text
    try:
        root = _whole(plain)
    except JSONDecodeError as error:
        reason = error.msg.removesuffix(" at")
        raise UnreadableError(reason, error.lineno, error.colno) from None
    entries = tuple(_entries(lines, text, root))
    yield Document(origin="file", file=lines.file, entries=entries)


def _blank(found: Any) -> str:
    """Return blanks in the place of a comment, so that all else stays where it is."""
    return str(found[0]) if found[0][0] == '"' else _SIGN.sub(" ", found[0])


def _whole(text: str) -> Any:
    scalar = JSONDecoder().scan_once  # type: ignore[attr-defined]

    def scan(text: str, at: int) -> tuple[Any, int]:
        opening = text[at : at + 1]
        if opening == "{":
            return JSONObject((text, at + 1), True, scan, None, _Object)  # type: ignore[no-any-return]
        if opening == "[":
            return JSONArray((text, at + 1), scan)  # type: ignore[no-any-return]
        value, end = scalar(text, at)
        return _Scalar(value, at, end), end

    start = len(text) - len(text.lstrip(_BLANKS))
    try:
        root, end = scan(text, start)
    except StopIteration as error:
        raise JSONDecodeError("Expecting value", text, error.value) from None
    if rest := text[end:].lstrip(_BLANKS):
        raise JSONDecodeError("Extra data", text, len(text) - len(rest))
    return root


def _entries(lines: Lines, text: str, root: Any) -> Iterator[Entry]:
    stack: list[tuple[tuple[str, ...], Any]] = [((), root)]
    count = 0
    while stack:
        key, node = stack.pop()
        if isinstance(node, _Scalar):
            place = lines.at(node.start, node.end)
            if count >= _MOST:
                reason = f"More than {_MOST:,} values"
                raise TooLargeError(reason, place.line, place.column)
            count += 1
            written = text[node.start : node.end]
            yield Entry(key=key, value=node.value, text=written, at=place)
        else:
            numbered = ((str(index), value) for index, value in enumerate(node))
            pairs = node if isinstance(node, _Object) else [*numbered]
            stack.extend(((*key, name), value) for name, value in reversed(pairs))
